import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { dialects, serverClient } from '../support/clients.ts'
import { newOperators, openedByAll, paymentHashOf, recipientsOf, sparkAccount } from '../support/operators.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { rebuiltFrom, subsets, verifyShare } from '../support/shares.ts'

/** A Lightning receive as a wallet of Spark prepares it, and as the operators then use what they are sent. */

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

describe.each(dialects)('@turnkey/sdk-server against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  let signWith: string
  beforeAll(async () => {
    client = serverClient(server, dialect)
    const walletName = `${dialect} spark`
    const { addresses } = await client.createWallet({ walletName, accounts: [sparkAccount()] })
    signWith = addresses[0] ?? ''
    expect(signWith).toMatch(/^spark1/)
  })

  test('spark_prepare_lightning_receive: each operator opens and checks its share, two of three release the payment', async () => {
    const operators = newOperators(3)
    const lightningReceive = { threshold: 2, operatorRecipients: recipientsOf(operators) }
    const { operatorPackages, paymentHash, activity } = await client.sparkPrepareLightningReceive({
      signWith,
      lightningReceive,
    })
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(activity.intent).toEqual({ sparkPrepareLightningReceiveIntent: { signWith, lightningReceive } })
    expect(operatorPackages.map(({ operatorId }) => operatorId)).toEqual(operators.map(({ operatorId }) => operatorId))
    const points = openedByAll(operators, operatorPackages)
    for (const point of points) {
      expect(point.shareBytes).toBe(32)
      expect(point.proofs).toHaveLength(2)
      expect(verifyShare(point)).toBe(true)
    }
    for (const subset of subsets(points, 2)) expect(paymentHashOf(rebuiltFrom(subset))).toBe(paymentHash)
    // One alone has nothing, and cannot read what another was sent.
    for (const alone of points) expect(paymentHashOf(rebuiltFrom([alone]))).not.toBe(paymentHash)
    const crossed = operators.map((operator, index) => ({
      operatorId: operator.operatorId,
      encryptedPackage: operatorPackages.at(index - 1)?.encryptedPackage ?? '',
    }))
    expect(() => openedByAll(operators, crossed)).toThrow()
  })

  test('a threshold of one is refused with the field', async () => {
    const operatorRecipients = recipientsOf(newOperators(3))
    const refused = client.sparkPrepareLightningReceive({
      signWith,
      lightningReceive: { threshold: 1, operatorRecipients },
    })
    await expect(refused).rejects.toThrow('parameters.lightningReceive.threshold must be')
  })
})
