import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { blobHashes } from './write-run-tree.ts'

it('the sums of blobs are the same however git cuts what it prints', async () => {
  const texts = ['', 'a\n', '\n\nblob 3\n', 'x'.repeat(50)]
  const names = texts.map((_, n) => String(n).repeat(40))
  const printed = Buffer.from(
    `${'f'.repeat(40)} missing\n${texts.map((text, n) => `${names[n]} blob ${text.length}\n${text}\n`).join('')}`,
  )
  const wanted = texts.map((text, n) => [
    names[n],
    `sha256_${createHash('sha256').update(text).digest('hex')}`,
  ])
  for (const size of [1, 2, 7, 41, 1000]) {
    const pieces = async function* () {
      for (let at = 0; at < printed.length; at += size) yield printed.subarray(at, at + size)
    }
    expect([...(await blobHashes(pieces()))], `${size} bytes at a time`).toEqual(wanted)
  }
})
