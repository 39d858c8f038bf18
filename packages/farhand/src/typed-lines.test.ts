import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { TypedLines } from './typed-lines.ts'

/** As a terminal does it, what is typed is handed over with its Enter, or as soon as that is no longer waited for. */
function terminal() {
  const keys = new PassThrough()
  let line = ''
  const handOver = () => {
    if (line !== '') keys.write(line)
    line = ''
  }
  const input = Object.assign(keys, {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void (isRaw && handOver()),
  })
  const type = (text: string) => {
    line += text
    if (text.endsWith('\n')) handOver()
  }
  return { input, type }
}

it('a line that was begun is known, and none of it is lost when somebody looks', async () => {
  const { input, type } = terminal()
  const typed = new TypedLines(input)
  const lines = typed.lines(new AbortController().signal)
  const first = lines.next()
  expect(await typed.isTyping()).toBe(false)
  type('say ')
  expect(await typed.isTyping()).toBe(true)
  // What has been handed over once does not lie in the terminal any more.
  expect(await typed.isTyping()).toBe(true)
  type('hello\n')
  expect((await first).value).toBe('say hello')
  expect(await typed.isTyping()).toBe(false)
  await lines.return(undefined)
})
