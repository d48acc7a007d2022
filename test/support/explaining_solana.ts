import { PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { explaining } from './explanations.ts'
import { newAccount, startOrganization } from './organization.ts'

export const keyOf = (byte: number) => new PublicKey(new Uint8Array(32).fill(byte))
export const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const token2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

type Tables = Parameters<TransactionMessage['compileToV0Message']>[0]

/** The worst warning of a transaction with a call that is not read. `more`: how many other warnings it has. */
export function unreadCall(program: PublicKey | string, { more }: { readonly more: number } = { more: 0 }): string {
  const others = more === 0 ? '' : `, and ${more} more`
  return `WARNING: a call of the program ${program} is not read here: with the accounts of the signers, it may do what they may${others}. `
}

/** Starts an organization with an account of Solana, which pays for and signs the transactions that are explained. */
export async function explainingSolana() {
  const organization = await startOrganization()
  const explain = explaining(organization)
  const account = { curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }
  const { addresses } = await organization.done('create_wallet', {
    ...{ walletName: 'Treasury', accounts: [newAccount(account)] },
  })
  const signWith = String(addresses[0])
  const payer = new PublicKey(signWith)
  const explainWith = (tables: Tables, ...instructions: TransactionInstruction[]) => {
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash: keyOf(9).toBase58(), instructions })
    const transaction = new VersionedTransaction(message.compileToV0Message(tables))
    const unsignedTransaction = Buffer.from(transaction.serialize()).toString('hex')
    return explain('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction })
  }
  return {
    ...{ done: organization.done, signWith, payer, explainWith },
    explainTransaction: (...instructions: TransactionInstruction[]) => explainWith([], ...instructions),
    /** An account in a title: the own one has the name of its wallet. */
    shown: (one: PublicKey) => (one.equals(payer) ? `“Treasury” (${payer})` : `${one}`),
    /** A call in which each account is writable, and the payer signs. */
    call: (programId: PublicKey, keys: readonly PublicKey[], data: Buffer) =>
      new TransactionInstruction({
        ...{ programId, data },
        keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey.equals(payer), isWritable: true })),
      }),
  }
}
