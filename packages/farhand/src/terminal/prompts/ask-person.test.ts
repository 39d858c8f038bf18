import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askPerson } from './ask-person.ts'

const neverInterrupted = () => expect.unreachable()

it('S13 S14 what was typed before a question is no answer to it', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const never = new AbortController().signal
  const asked = new Promise<void>((go) => output.once('data', () => go()))
  input.write('d\n')
  const answer = askPerson({ input, output }, 'Delete? ', never, neverInterrupted)
  await asked
  input.write('b\n')
  expect(await answer).toBe('b')
})

it('S14 a question that is withdrawn takes no line away from the next one', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const withdrawn = new AbortController()
  let go = () => {}
  output.on('data', () => go())
  const shown = () => new Promise<void>((resolve) => (go = resolve))
  const first = shown()
  const asked = askPerson({ input, output }, 'Send? ', withdrawn.signal, neverInterrupted)
  await first
  withdrawn.abort()
  await expect(asked).rejects.toThrow()
  input.write('y\n')
  const second = shown()
  const again = askPerson({ input, output }, 'Delete? ', new AbortController().signal, neverInterrupted)
  await second
  input.write('s\n')
  expect(await again).toBe('s')
})

it('the end of the input is not an answer', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  output.once('data', () => input.end())
  await expect(askPerson({ input, output }, 'Send? ', stop.signal, () => stop.abort())).rejects.toThrow()
})
