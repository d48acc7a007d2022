import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { clientOf, p256, signingOf } from '../support/client.ts'
import { withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { queryPostgres, temporaryDatabase } from '../support/postgres/postgres.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

/** Somebody who can write the database's file makes statements of the service do more than they say. */

/**
 * Triggers that put back everything that a deleted key needs, in the transaction of its deletion, the older head first.
 */
const undoEverything = `
  create trigger undo_head after update on organizations begin
    update organizations set version = old.version, tag = old.tag, head = old.head
      where organization_id = old.organization_id;
  end;
  create trigger undo_record after delete on records begin
    insert into records values (old.organization_id, old.kind, old.record_id, old.owner_id, old.version, old.sealed);
  end;
  create trigger undo_lookup after delete on lookups begin
    insert into lookups values (old.organization_id, old.lookup, old.key, old.record_id, old.kind, old.parent_id);
  end;`
const dropAll = 'drop trigger undo_head; drop trigger undo_record; drop trigger undo_lookup'

/** A table in which a head can be written twice in one transaction, so that the older one replaces the newer. */
const replacingTable = `
  alter table organizations rename to before;
  create table organizations (
    organization_id text not null primary key on conflict replace,
    parent_id text, version integer not null, tag text not null, head blob not null
  ) strict;
  insert into organizations select * from before;`

const newPrivateKey = { privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }

async function leakedKey(options: Parameters<typeof start>[0] = {}) {
  const server = await start(options)
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const leaked = generateApiKey()
  await resultOf(root.activity('create_api_keys', { userId, apiKeys: [p256(leaked)] }))
  const made = await resultOf(root.activity('create_private_keys', { privateKeys: [newPrivateKey] }))
  const [{ privateKeyId }] = made.activity.result.createPrivateKeysResultV2.privateKeys
  const known = await resultOf(root.query('get_api_keys', { userId }))
  const leakedClient = clientOf(server, { organizationId, apiKey: leaked })
  const place = { table: 'organizations', where: { organization_id: organizationId } } as const
  return {
    server,
    organizationId,
    deleteKey: () => root.activity('delete_api_keys', { userId, apiKeyIds: [known.apiKeys[1].apiKeyId] }),
    sign: (payload: string) => leakedClient.activity('sign_raw_payload', signingOf(privateKeyId, payload)),
    whoami: () => root.query('whoami'),
    headVersion: () => withDatabase(server.folder, (hand) => hand.one(place).version),
  }
}

test('a deletion that triggers would undo is not acknowledged, nor is anything else; once they are gone it holds', async () => {
  const { server, deleteKey, sign, whoami, headVersion } = await leakedKey()
  expect((await sign('before')).status).toBe(200)
  const before = headVersion()
  change(server, undoEverything)

  for (const answer of [await deleteKey(), await sign('meanwhile'), await deleteKey()]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 14 } })
  }
  expect(JSON.stringify(server.incidents.map(causesOf))).toContain('trigger undo_head on organizations was added')
  expect(headVersion()).toBe(before)
  expect((await whoami()).status).toBe(200)

  change(server, dropAll)
  expect((await deleteKey()).status).toBe(200)
  expect((await sign('after')).status).toBe(401)
})

test('a table that was exchanged for one with another conflict clause: nothing is acknowledged', async () => {
  const { server, deleteKey, sign, headVersion } = await leakedKey()
  const before = headVersion()
  change(server, replacingTable)
  for (const answer of [await deleteKey(), await sign('meanwhile')]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 14 } })
  }
  expect(headVersion()).toBe(before)
})

test('on PostgreSQL too: a deletion that a trigger would undo is not acknowledged until it is gone', async () => {
  const databaseUrl = await temporaryDatabase()
  const { server, deleteKey, sign } = await leakedKey({ databaseUrl })
  expect((await sign('before')).status).toBe(200)
  await queryPostgres(
    databaseUrl,
    `create function undo() returns trigger language plpgsql as $$ begin
      update organizations set version = old.version, tag = old.tag, head = old.head
        where organization_id = old.organization_id and version > old.version;
      return null; end $$`,
  )
  await queryPostgres(
    databaseUrl,
    'create trigger undo_head after update on organizations for each row execute function undo()',
  )
  for (const answer of [await deleteKey(), await sign('meanwhile'), await deleteKey()]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 14 } })
  }
  expect(JSON.stringify([...server.incidents, ...server.warnings].map(causesOf))).toContain(
    'trigger undo_head on organizations',
  )
  await queryPostgres(databaseUrl, 'drop trigger undo_head on organizations')
  expect((await deleteKey()).status).toBe(200)
  expect((await sign('after')).status).toBe(401)
})

test('a server does not start on a database with triggers', async () => {
  const server = await start()
  await server.close()
  change(server, undoEverything)
  await expect(start({ folder: server.folder })).rejects.toThrow(/trigger undo_head on organizations was added/)
  change(server, dropAll)
  await start({ folder: server.folder })
})

function change({ folder }: Pick<Server, 'folder'>, text: string): void {
  using database = new DatabaseSync(join(folder, 'claviger.db'))
  database.exec(text)
}

/** The texts of all logged errors and of their causes. */
function causesOf(logged: unknown): readonly string[] {
  if (Array.isArray(logged)) return logged.flatMap(causesOf)
  if (logged instanceof Error) return [logged.message, ...causesOf(logged.cause)]
  return typeof logged === 'object' && logged !== null ? Object.values(logged).flatMap(causesOf) : [String(logged)]
}
