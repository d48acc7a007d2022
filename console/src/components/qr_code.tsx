import encodeQR from 'qr'

/** Modules of light around the code, as ISO/IEC 18004 asks for. */
const borderModules = 4

/** A QR code of a text, dark on light in each colour scheme, because readers expect that. `label` names what it holds. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: borderModules })
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className="qr-code" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path className="qr-light" d={`M0 0h${rows.length}v${rows.length}H0z`} />
      <path className="qr-dark" d={path} />
    </svg>
  )
}
