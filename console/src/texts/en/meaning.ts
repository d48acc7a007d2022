import { englishTexts } from '../../../../src/contract/explanation/texts/label_texts.ts'

/** The meaning of an activity. The words of explanations are those of the mails that the server sends. */
export const meaning = {
  explanation: englishTexts,
  loading: 'The vault reads the request',
  failed:
    'The meaning of this request could not be shown, so it cannot be approved yet. Below is the request as it was stamped.',
  asStamped: 'Request as it was stamped',
  showMore: (count: string, left: string) => (count === left ? `Show ${count} more` : `Show ${count} more of ${left}`),
  leftOut: (count: string) => `${count} more are not shown here`,
  together: 'together',
  smallestUnit: 'of the smallest unit',
  ofToken: 'of the token',
  bytes: (count: string) => `${count} bytes`,
  becomes: 'becomes',
  wayAndRule: 'Who asked, and who decides',
  askedBy: 'Asked by',
  by: 'by',
  missing: (count: string) => (count === '1' ? '1 approval is missing' : `${count} approvals are missing`),
  canComplete: 'One approval is enough, of:',
  canApprove: 'More than one approval is missing, of:',
  lapses: 'Approvals count until',
  andMore: (count: string) => `and ${count} more`,
  address: 'address',
  bytesOf: 'bytes',
  number: 'number',
}
