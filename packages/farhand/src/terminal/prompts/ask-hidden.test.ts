import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askHidden } from './ask-hidden.ts'

function terminal() {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (is: boolean) => modes.push(is) })
  const output = new PassThrough()
  let interrupts = 0
  const asked = askHidden({ input, output }, 'VALUE: ', new AbortController().signal, () => {
    interrupts += 1
  })
  return { input, asked, modes, shown: () => String(output.read()), interrupts: () => interrupts }
}

it('what is typed is taken, with what was rubbed out, and nothing of it is shown', async () => {
  const { input, asked, modes, shown } = terminal()
  for (const key of ['h', 'é', 'x', '\u007f', 'y', '\r']) input.write(key)
  expect(await asked).toBe('héy')
  expect(shown()).toBe('VALUE: \n')
  expect(modes).toEqual([true, false])
})

it('what is pasted with the end of its line is taken, and several lines are not, as the shell would get the rest', async () => {
  const one = terminal()
  one.input.write('pasted\r\n')
  expect(await one.asked).toBe('pasted')
  const several = terminal()
  several.input.write('-----BEGIN\rKEY\r')
  await expect(several.asked).rejects.toThrow('more than one line')
})

it('Ctrl-C and Ctrl-D leave, and the terminal is as it was', async () => {
  const left = terminal()
  left.input.write('abc\u0003')
  expect(await left.asked).toBeNull()
  expect([left.interrupts(), left.modes]).toEqual([1, [true, false]])
  const ended = terminal()
  ended.input.write('\u0004')
  expect(await ended.asked).toBeNull()
})
