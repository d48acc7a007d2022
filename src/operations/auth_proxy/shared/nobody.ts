import { asId } from '../../../contract/fields/ids.ts'

/** The user of the requests at the auth proxy. No user has this id. */
export const nobodyId = asId('00000000-0000-0000-0000-000000000000')
