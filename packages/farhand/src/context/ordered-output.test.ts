import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { orderedOutput } from './ordered-output.ts'

/** Two streams into one file, as `2>&1` has it; each portion that arrives there is written down. */
function oneFile() {
  const portions: string[] = []
  const take = (chunks: { chunk: Buffer }[]) =>
    void portions.push(chunks.map(({ chunk }) => chunk.toString()).join(''))
  const stream = () =>
    new Writable({
      write(chunk, _, done) {
        take([{ chunk }])
        done()
      },
      writev(chunks, done) {
        take(chunks)
        done()
      },
    })
  return { portions, ...orderedOutput(stream(), stream()) }
}

it('what is said at once on standard output arrives at once', async () => {
  const { out, portions } = oneFile()
  out('a\n')
  out('b\n')
  await setImmediate()
  expect(portions).toEqual(['a\nb\n'])
})

it('a note does not overtake what was said before it', async () => {
  const { out, note, portions } = oneFile()
  out('words')
  out('\n')
  note('about them\n')
  out('more\n')
  await setImmediate()
  expect(portions.join('')).toBe('words\nabout them\nmore\n')
})
