import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReadStream, WriteStream } from 'node:tty'
import { expect, it } from 'vitest'
import { RawTerminal } from './raw-terminal.ts'

/** A terminal that only notes what it is told, and what it told. */
function terminalHere() {
  const modes: boolean[] = []
  const told: string[] = []
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    resume() {},
    pause() {},
  })
  const output = { write: () => true, columns: 80, rows: 24 }
  const process = Object.assign(new EventEmitter(), { pid: 1, platform: 'linux' as const, kill: () => true })
  const terminal = new RawTerminal({
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    process: process as unknown as NodeJS.Process,
    divert() {},
  })
  const nothing = () => {}
  const close = terminal.open({
    keys: (bytes) => told.push(Buffer.from(bytes).toString()),
    resized: nothing,
    resumed: nothing,
    suspending: nothing,
    ended: nothing,
    says: nothing,
  })
  const press = (keys: string) => input.emit('data', Buffer.from(keys))
  return { modes, told, press, close, continued: () => process.emit('SIGCONT') }
}

it('what was typed before it was there ends with Enter, and later a line break is one', async () => {
  const { told, press, continued } = terminalHere()
  press('one\ntwo\n')
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  press('three\n')
  continued()
  press('four\n')
  expect(told).toEqual(['one\rtwo\r', 'three\n', 'four\r'])
})

it('is set up again after another process has stopped and continued us', () => {
  const { modes, close, continued } = terminalHere()
  const before = modes.length
  continued()
  expect(modes.slice(before)).toEqual([false, true])
  close()
  expect(modes.at(-1)).toBe(false)
})
