import { Anchor, Button, Group, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { visibleText } from '../../../../src/protocol/tools/visible_text.ts'
import { DialogButton } from '../../components/form_dialog.tsx'
import { ErrorBox } from '../../components/states.tsx'
import { keepNewTarget } from '../../secrets/kept_targets.ts'
import { useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Secret, type SecretKind } from './secret.tsx'

type Exported = { readonly kind: SecretKind; readonly id: string; readonly name: string }

/** Exports a wallet or a private key. The secret is opened in this page alone. */
export function ExportSecret(of: Exported) {
  const { secrets } = useTexts()
  return <DialogButton label={secrets.export}>{(close) => <Dialog of={of} onClose={close} />}</DialogButton>
}

function Dialog({ of: { kind, id, name }, onClose }: { readonly of: Exported; readonly onClose: () => void }) {
  const { secrets, common } = useTexts()
  const session = useSession()
  const exportWallet = useSubmit('export_wallet')
  const exportKey = useSubmit('export_private_key')
  const ask = useMutation({
    mutationFn: async () => {
      const targetPublicKey = await keepNewTarget(session)
      const { activity, result } =
        kind === 'wallet'
          ? await exportWallet.mutateAsync({ walletId: id, targetPublicKey })
          : await exportKey.mutateAsync({ privateKeyId: id, targetPublicKey })
      return { targetPublicKey, activityId: activity.id, exportBundle: result?.exportBundle }
    },
  })
  const { data } = ask
  const { exportBundle } = data ?? {}
  return (
    <Modal
      opened
      onClose={onClose}
      title={secrets.exportTitle(visibleText(name).text)}
      closeButtonProps={{ 'aria-label': common.close }}
      closeOnClickOutside={false}
    >
      {data !== undefined && exportBundle !== undefined && <Secret of={{ ...data, kind, exportBundle }} />}
      {data !== undefined && exportBundle === undefined && (
        <>
          <p>{secrets.waits}</p>
          <Anchor component={Link} to={`/activities/${data.activityId}`}>
            {secrets.openActivity}
          </Anchor>
        </>
      )}
      {data === undefined && (
        <>
          <p>{secrets.exportWarning}</p>
          <p>{secrets.exportHow}</p>
          {ask.error !== null && <ErrorBox error={ask.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button color="red" loading={ask.isPending} onClick={() => ask.mutate()}>
              {secrets.export}
            </Button>
          </Group>
        </>
      )}
    </Modal>
  )
}
