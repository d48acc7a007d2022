import { Checkbox, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Issuer } from '../../api/auth_proxy.ts'
import type { Activities, Queries } from '../../api/operations.ts'
import { Copy } from '../../components/copy.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { LocalhostWarning } from '../../components/localhost_warning.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { Facts, Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { UserText } from '../../components/user_text.tsx'
import { returnUrl } from '../../session/return_url.ts'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'

type Config = NonNullable<Queries['get_auth_proxy_config']['result']['config']>
type ProxyParameters = Activities['enable_auth_proxy']['parameters']
type Operations = ProxyParameters['operations']

/** The operations that this page asks for without a stamp. */
const ofConsole: Operations = ['otp_init_v2', 'otp_verify_v2', 'wallet_kit_config']
/** The operations that apps with the kits of the clients ask for besides. */
const ofApps: Operations = [...ofConsole, 'account', 'oauth_login', 'otp_login_v2', 'wallet_kit_client_params']

/** Whether people log in by a code or at an issuer, and where. */
export function AuthProxy({ organizationName }: { readonly organizationName: string }) {
  const { authProxy: texts } = useTexts()
  const asked = useAsk('get_auth_proxy_config', {})
  return (
    <Section title={texts.title}>
      <p className="hint">{texts.about}</p>
      <Answer of={asked}>
        {({ config }) => (
          <>
            {config !== undefined && <Shown config={config} />}
            <span className="row-actions">
              <DialogButton label={config === undefined ? texts.enable : texts.change} isQuiet>
                {(close) => <Change config={config} organizationName={organizationName} onClose={close} />}
              </DialogButton>
              {config !== undefined && (
                <DialogButton label={texts.disable} isQuiet>
                  {(close) => <Disable onClose={close} />}
                </DialogButton>
              )}
            </span>
          </>
        )}
      </Answer>
    </Section>
  )
}

function Shown({ config }: { readonly config: Config }) {
  const { authProxy: texts, settings } = useTexts()
  const link = `${location.origin}/#/login/${config.configId}`
  const issuers = config.oauthProviders.map(({ providerName }) => providerName)
  return (
    <Facts
      facts={[
        [
          texts.link,
          <div key="link">
            <span className="name-with-badge">
              <UserText text={link} />
              <Copy text={link} what={texts.link} />
            </span>
            <LocalhostWarning />
          </div>,
        ],
        [texts.pages, <UserText key="pages" text={config.allowedOrigins.join(' ')} />],
        [texts.appName, <UserText key="name" text={config.appName} />],
        [texts.lasting, config.sessionsMayChangeCredentials ? settings.on : settings.off],
        ...(issuers.length === 0
          ? []
          : [[texts.issuers, <UserText key="issuers" text={issuers.join(', ')} />] as const]),
      ]}
    />
  )
}

type ChangeProps = {
  readonly config: Config | undefined
  readonly organizationName: string
  readonly onClose: () => void
}

function Change({ config, organizationName, onClose }: ChangeProps) {
  const { authProxy: texts, common } = useTexts()
  const [appName, setAppName] = useState(config?.appName ?? organizationName)
  const [origins, setOrigins] = useState((config?.allowedOrigins ?? [location.origin]).join('\n'))
  const [issuers, setIssuers] = useState((config?.oauthProviders ?? []).map(lineOf).join('\n'))
  const [lasting, setLasting] = useState(config?.sessionsMayChangeCredentials ?? true)
  const [forApps, setForApps] = useState(config?.operations.includes('account') ?? false)
  return (
    <SubmitDialog
      operation="enable_auth_proxy"
      title={config === undefined ? texts.enable : texts.change}
      action={config === undefined ? texts.enable : common.save}
      parameters={{
        ...(config === undefined ? {} : chosenOf(config)),
        operations: forApps ? ofApps : ofConsole,
        allowedOrigins: linesOf(origins),
        appName: appName.trim(),
        oauthProviders: linesOf(issuers).map(issuerIn),
        sessionsMayChangeCredentials: lasting,
      }}
      onClose={onClose}
    >
      <p>{texts.warning}</p>
      <NameInput label={texts.appName} value={appName} onChange={setAppName} />
      <Textarea
        label={texts.pages}
        description={texts.pagesHint}
        value={origins}
        onChange={(event) => setOrigins(event.currentTarget.value)}
        required
        autosize
        minRows={2}
        spellCheck={false}
      />
      <Textarea
        label={texts.issuers}
        description={texts.issuersHint(returnUrl())}
        value={issuers}
        onChange={(event) => setIssuers(event.currentTarget.value)}
        autosize
        minRows={2}
        spellCheck={false}
      />
      <Checkbox
        label={texts.lasting}
        description={texts.lastingHint}
        checked={lasting}
        onChange={(event) => setLasting(event.currentTarget.checked)}
      />
      <Checkbox label={texts.forApps} checked={forApps} onChange={(event) => setForApps(event.currentTarget.checked)} />
    </SubmitDialog>
  )
}

/** Keeps the settings that the dialog does not show. */
function chosenOf({
  sessionExpirationSeconds,
  otpExpirationSeconds,
  otpLength,
  otpAlphanumeric,
  oauthRedirectUrl,
}: Config) {
  return {
    ...{ sessionExpirationSeconds, otpExpirationSeconds, otpLength, otpAlphanumeric },
    ...(oauthRedirectUrl === undefined ? {} : { oauthRedirectUrl }),
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

const lineOf = ({ providerName, issuer, clientId, authorizationUrl }: Issuer) =>
  [providerName, issuer, clientId, authorizationUrl].join(' ')

/** A name may have several words. The server refuses a part that is missing, and names it. */
function issuerIn(line: string): Issuer {
  const words = line.split(/\s+/)
  const [issuer = '', clientId = '', authorizationUrl = ''] = words.slice(-3)
  return { providerName: words.slice(0, -3).join(' '), issuer, clientId, authorizationUrl }
}

function Disable({ onClose }: { readonly onClose: () => void }) {
  const { authProxy: texts } = useTexts()
  return (
    <SubmitDialog
      operation="disable_auth_proxy"
      title={texts.disable}
      action={texts.disable}
      isDangerous
      parameters={{}}
      onClose={onClose}
    >
      <p>{texts.disableWarning}</p>
    </SubmitDialog>
  )
}
