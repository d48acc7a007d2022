import { createPublicKey, hash, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryFolder } from '../support/running_server.ts'

const read = (path: string) => readFileSync(join(repositoryFolder, path), 'utf8')
const sha256 = (...parts: readonly Uint8Array[]) => hash('sha256', Buffer.concat(parts), 'hex')
const bytes = (hex: string) => Buffer.from(hex, 'hex')

/** The blocks of the example on the page: entry, proof and root, hashes, checkpoint. */
function blocksOfPage() {
  const [, example = ''] = read('docs/transparency.md').split('## An example, hash by hash')
  const blocks = [...example.matchAll(/^```\n(.*?)^```$/gms)].map(([, text = '']) => text)
  const [entry = '', proof = '', hashes = '', checkpoint = ''] = blocks
  const hashOn = (line: string) => line.slice(line.lastIndexOf(' ') + 1)
  const linesOf = (block: string) => block.trimEnd().split('\n').map(hashOn)
  return { entry: entry.replaceAll('\n', ''), proof: linesOf(proof), hashes: linesOf(hashes), checkpoint }
}

test('the example of the page for auditors is right, hash by hash, and is the first vector', () => {
  const { entry, proof, hashes, checkpoint } = blocksOfPage()
  const [one = '', two = '', three = '', root = ''] = proof
  const own = sha256(bytes(entry))
  const leaf = sha256(Buffer.of(0), bytes(own))
  const pair = sha256(Buffer.of(1), bytes(one), bytes(leaf))
  const right = sha256(Buffer.of(1), bytes(pair), bytes(two))
  const whole = sha256(Buffer.of(1), bytes(three), bytes(right))
  expect(hashes).toEqual([own, leaf, pair, right, whole])
  expect(whole).toBe(root)
  expect(checkpoint.split('\n')[2]).toBe(bytes(root).toString('base64'))

  const [row] = JSON.parse(read('test/vectors/log/activities.json')).activities
  const [proven] = JSON.parse(row.file).entries
  expect(bytes(entry).toString('base64')).toBe(proven.entry)
  const [head = '', note = '', signatures = ''] = proven.proof.split('\n\n')
  expect(head.split('\n').slice(1)).toEqual([
    'index 5',
    ...[one, two, three].map((part) => bytes(part).toString('base64')),
  ])
  expect(`${note}\n`).toBe(checkpoint)
  const keys = [...row.policy.matchAll(/\+[0-9a-f]{8}\+(\S+)/g)].map(([, key]) =>
    Buffer.from(key, 'base64').subarray(1),
  )
  const [ofLog, ofWitness] = signatures
    .trimEnd()
    .split('\n')
    .map((line: string) => {
      return Buffer.from(line.slice(line.lastIndexOf(' ') + 1), 'base64').subarray(4)
    })
  const isSigned = (text: string, key: Buffer | undefined, signature: Buffer) => {
    const publicKey = createPublicKey({ key: key ?? Buffer.of(), format: 'raw-public', asymmetricKeyType: 'ed25519' })
    return verify(null, Buffer.from(text), publicKey, signature)
  }
  expect(isSigned(checkpoint, keys[0], ofLog)).toBe(true)
  expect(ofWitness.readBigUInt64BE()).toBe(1_790_000_060n)
  const cosigned = `cosignature/v1\ntime 1790000060\n${checkpoint}`
  expect(isSigned(cosigned, keys[1], ofWitness.subarray(8))).toBe(true)
})
