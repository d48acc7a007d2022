import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryPostgres } from '../../../../test/support/store/fixtures.ts'
import { activity, commitOf, head } from '../../../../test/support/store/rows.ts'

/** Somebody who can change the schema makes statements of the service do more, or less, than they say. */

describe('added while the store is open:', () => {
  const undo = `create function undo() returns trigger language plpgsql as $$ begin
    update organizations set version = old.version, tag = old.tag, head = old.head
      where organization_id = old.organization_id and version > old.version;
    return null; end $$`
  for (const [name, made, removed] of [
    [
      'trigger undo on organizations',
      'create trigger undo after update on organizations for each row execute function undo()',
      'drop trigger undo on organizations',
    ],
    [
      'trigger undo on organizations',
      'create constraint trigger undo after update on organizations deferrable initially deferred for each row execute function undo()',
      'drop trigger undo on organizations',
    ],
    [
      'rule forgetful on lookups',
      'create rule forgetful as on update to lookups do instead nothing',
      'drop rule forgetful on lookups',
    ],
    [
      'row security on records',
      'alter table records enable row level security',
      'alter table records disable row level security',
    ],
  ] as const) {
    test(`${made.split(' ').slice(0, 4).join(' ')}: nothing is committed before it is gone`, async () => {
      const { query, open } = await temporaryPostgres()
      const store = await open()
      onTestFinished(() => store.close())
      await store.commit(commitOf({ heads: [head('one')] }))
      const next = () => store.commit(commitOf({ heads: [head('one', { version: 2 })] }))
      const sign = () => store.commit(commitOf({ activities: [activity('one', 'a')] }))
      await query(undo)
      await query(made)
      for (const commit of [next, sign]) await expect(commit()).rejects.toThrow(name)
      expect(Number((await query('select version from organizations'))[0]?.version)).toBe(1)
      expect(await query('select from activities')).toEqual([])
      await query(removed)
      expect(await next()).toBe('committed')
      expect(await sign()).toBe('committed')
    })
  }
})
