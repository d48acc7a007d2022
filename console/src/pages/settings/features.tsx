import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Activities } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { Section } from '../../components/page_frame.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'

type Feature = Activities['set_organization_feature']['result']['features'][number]

/** The features that this server implements, and whether a feature has a value. */
const known = [
  { name: 'FEATURE_NAME_EMAIL_RECOVERY', hasValue: false },
  { name: 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY', hasValue: false },
  { name: 'FEATURE_NAME_OTP_EMAIL_AUTH', hasValue: false },
  { name: 'FEATURE_NAME_SMS_AUTH', hasValue: false },
  { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', hasValue: true },
  { name: 'FEATURE_NAME_WEBHOOK', hasValue: true },
  { name: 'FEATURE_NAME_SUB_ORGANIZATION_MAILS', hasValue: true },
] as const
type Known = (typeof known)[number]

const valueCharactersMax = 2_048

export function Features({ features }: { readonly features: readonly Feature[] }) {
  const { settings: texts, common } = useTexts()
  const featureOf = ({ name }: Known) => features.find((feature) => feature.name === name)
  const columns: readonly Column<Known>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ name }) => (
        <>
          <div>{texts.features[name].title}</div>
          <div className="hint">{texts.features[name].about}</div>
        </>
      ),
    },
    {
      key: 'state',
      label: texts.state,
      show: (one) => {
        const feature = featureOf(one)
        if (feature === undefined) return texts.off
        return one.hasValue ? <UserText text={feature.value ?? ''} /> : texts.on
      },
    },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: (one) => <Change one={one} feature={featureOf(one)} />,
    },
  ]
  return (
    <Section title={texts.featuresTitle}>
      <DataTable label={texts.featuresTitle} columns={columns} rows={known} keyOf={({ name }) => name} />
    </Section>
  )
}

type ChangeProps = { readonly one: Known; readonly feature: Feature | undefined }

function Change({ one, feature }: ChangeProps) {
  const { settings: texts, common } = useTexts()
  return (
    <span className="row-actions">
      {(one.hasValue || feature === undefined) && (
        <DialogButton label={one.hasValue ? common.edit : texts.switchOn} isQuiet>
          {(close) => <SwitchOn one={one} feature={feature} onClose={close} />}
        </DialogButton>
      )}
      {feature !== undefined && (
        <DialogButton label={texts.switchOff} isQuiet>
          {(close) => <SwitchOff one={one} onClose={close} />}
        </DialogButton>
      )}
    </span>
  )
}

function SwitchOn({ one, feature, onClose }: ChangeProps & { readonly onClose: () => void }) {
  const { settings: texts, common } = useTexts()
  const [value, setValue] = useState(feature?.value ?? '')
  return (
    <SubmitDialog
      operation="set_organization_feature"
      title={texts.features[one.name].title}
      action={one.hasValue ? common.save : texts.switchOn}
      parameters={{ name: one.name, ...(one.hasValue ? { value: value.trim() } : {}) }}
      onClose={onClose}
    >
      <p>{texts.features[one.name].about}</p>
      {one.hasValue && (
        <TextInput
          label={texts.value}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          required
          maxLength={valueCharactersMax}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
        />
      )}
    </SubmitDialog>
  )
}

function SwitchOff({ one: { name }, onClose }: { readonly one: Known; readonly onClose: () => void }) {
  const { settings: texts } = useTexts()
  return (
    <SubmitDialog
      operation="remove_organization_feature"
      title={texts.features[name].title}
      action={texts.switchOff}
      isDangerous
      parameters={{ name }}
      onClose={onClose}
    >
      <p>{texts.features[name].about}</p>
    </SubmitDialog>
  )
}
