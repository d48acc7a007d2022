import { lazy, Suspense } from 'react'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { Address } from '../../components/id.tsx'
import { Loading } from '../../components/states.tsx'
import { useTexts } from '../../texts/texts.tsx'

const QrCode = lazy(async () => ({ default: (await import('../../components/qr_code.tsx')).QrCode }))

/** A button that shows an address as a QR code, with the address below to compare. */
export function AddressCode({ address }: { readonly address: string }) {
  const { keys: texts, wallets, common } = useTexts()
  return (
    <DialogButton label={texts.qr} isQuiet>
      {(close) => (
        <FormDialog title={wallets.address} action={common.close} isOver onSubmit={close} onClose={close}>
          <Suspense fallback={<Loading />}>
            <QrCode text={address} label={texts.qrOf(address)} />
          </Suspense>
          <Address address={address} what={wallets.address} />
        </FormDialog>
      )}
    </DialogButton>
  )
}
