import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinHere, builtinProcess } from './builtin-under-test.ts'
import { modelUnderTest } from './model-under-test.ts'

const isAlive = (pid: number) => {
  try {
    // A zombie answers to signal 0, too, until its parent has waited for it.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const pidsIn = (cwd: string) => readFileSync(path.join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number)
const twoSleepers =
  'sleep 300 & echo $! > pids; echo $$ >> pids; trap "" TERM; echo ready; sleep 300; sleep 300'

describe('a cancelled turn', () => {
  it('ends while the model streams, closes that connection, and keeps the text so far', async () => {
    const model = await modelUnderTest([{ says: ['Once upon'], hangs: true }, { says: ['Yes.'] }])
    const builtin = await builtinHere({ FARHAND_MODEL_URL: model.url })
    const turn = builtin.prompt('tell')
    await builtin.until(() => builtin.words === 'Once upon')
    await builtin.cancel()
    expect((await turn).stopReason).toBe('cancelled')
    expect((await builtin.prompt('tell')).stopReason).toBe('end_turn')
    expect(model.hangUps()).toBe(1)
    expect(model.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
      'tell',
      'Once upon',
      'tell',
    ])
  })

  it('ends while the user thinks about a question, and every call has an end', async () => {
    const calls = ['a', 'b'].map((name) => ({ id: name, name: 'write', input: { path: name, text: name } }))
    const model = await modelUnderTest([{ calls }, { says: ['Yes.'] }])
    const away = { answers: () => new Promise<string>(() => {}) }
    const builtin = await builtinHere({ FARHAND_MODEL_URL: model.url }, away)
    const turn = builtin.prompt('write')
    await builtin.until(() => builtin.asked.length === 1)
    await builtin.cancel()
    expect((await turn).stopReason).toBe('cancelled')
    expect(builtin.ends).toEqual({ a: 'failed', b: 'failed' })
    await builtin.prompt('well?')
    const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map((result) => result.tool_call_id)).toEqual(['a', 'b'])
  })

  it('leaves no process of a command behind, not even one that ignores signals', async () => {
    const model = await modelUnderTest([{ calls: [{ name: 'shell', input: { command: twoSleepers } }] }])
    const builtin = await builtinHere({ FARHAND_MODEL_URL: model.url }, { mode: 'all' })
    const turn = builtin.prompt('sleep')
    await builtin.until(() => JSON.stringify(builtin.of('tool_call_update')).includes('"text":"ready'))
    const pids = pidsIn(builtin.cwd)
    expect(pids.map(isAlive)).toEqual([true, true])
    await builtin.cancel()
    expect((await turn).stopReason).toBe('cancelled')
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(builtin.ends).toEqual({ call_0: 'failed' })
  })
})

describe('an agent whose host is gone', () => {
  it('ends, and its commands with it', async () => {
    const model = await modelUnderTest([{ calls: [{ name: 'shell', input: { command: twoSleepers } }] }])
    const builtin = await builtinProcess({ FARHAND_MODEL_URL: model.url }, { mode: 'all' })
    builtin.prompt('sleep').catch(() => {})
    await builtin.until(() => JSON.stringify(builtin.of('tool_call_update')).includes('"text":"ready'))
    const pids = pidsIn(builtin.cwd)
    builtin.child.stdin?.end()
    expect(await builtin.exited).toEqual([0, null])
    expect(pids.map(isAlive)).toEqual([false, false])
  })
})
