import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { TypedLines } from './typed-lines.ts'

/** As a terminal does it, what is typed is handed over with its Enter, or as soon as that is no longer waited for. */
function terminal() {
  const keys = new PassThrough()
  let line = ''
  let isRaw = false
  const handOver = () => {
    if (line !== '') keys.write(line)
    line = ''
  }
  const input = Object.assign(keys, {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      isRaw = raw
      if (raw) handOver()
    },
  })
  const type = (text: string) => {
    line += text
    if (isRaw || text.endsWith('\n')) handOver()
  }
  return { input, type }
}

it('the command can look at a line that was begun, and none of it is lost', async () => {
  const { input, type } = terminal()
  const typed = new TypedLines(input, () => {})
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

it('Ctrl-C is an interrupt and not text, also while the command looks at the line', async () => {
  const { input, type } = terminal()
  let interrupts = 0
  const typed = new TypedLines(input, () => {
    interrupts += 1
  })
  const lines = typed.lines(new AbortController().signal)
  const first = lines.next()
  const looked = typed.isTyping()
  type('sa\u0003')
  expect(await looked).toBe(false)
  expect(interrupts).toBe(1)
  type('hello\n')
  expect((await first).value).toBe('hello')
  await lines.return(undefined)
})

it('the lines end with the input', async () => {
  const { input, type } = terminal()
  const lines = new TypedLines(input, () => {}).lines(new AbortController().signal)
  const first = lines.next()
  type('hello\n')
  input.end()
  expect((await first).value).toBe('hello')
  expect((await lines.next()).done).toBe(true)
})
