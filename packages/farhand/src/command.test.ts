import { describe, expect, it } from 'vitest'
import { runCommand } from './command.ts'
import { temporaryFolder } from './farhand-under-test.ts'

async function run(args: string[], env: Record<string, string> = {}) {
  const out: string[] = []
  const notes: string[] = []
  const code = await runCommand(args, {
    env,
    out: (text) => void out.push(text),
    note: (text) => void notes.push(text),
    color: false,
    terminal: false,
    stop: new AbortController().signal,
  })
  return { code, out: out.join(''), notes: notes.join('') }
}

describe('farhand', () => {
  it('teaches on one screen', async () => {
    const { out, code } = await run(['--help'])
    expect(code).toBe(0)
    expect(out.split('\n').length).toBeLessThanOrEqual(30)
    for (const word of ['hub', 'user', 'Start here', 'Exit codes']) expect(out).toContain(word)
  })

  it('prints the help of the hub from the schema of its settings', async () => {
    const { out } = await run(['hub', '--help'])
    expect(out).toContain('--port <value>')
    expect(out).toContain('(default: 7717)')
    expect(out).toContain('--no-allow-close')
  })

  it.each([
    [['nonsense'], 'unknown command'],
    [['hub', '--prot', '1'], 'Did you mean --port?'],
    [['user', 'add'], "missing required argument 'name'"],
    [['hub', 'extra'], 'too many arguments'],
  ])('ends with 2 for %j and says what is wrong', async (args, sentence) => {
    const { notes, code } = await run(args)
    expect(code).toBe(2)
    expect(notes).toContain(sentence)
  })

  it('stops before it starts when a setting is wrong, wherever it came from', async () => {
    const data = await temporaryFolder()
    await expect(run(['hub', '--data', data], { FARHAND_LOG_LEVEL: 'loud' })).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('FARHAND_LOG_LEVEL is "loud"'),
    })
    await expect(run(['hub', '--data', data], { FARHAND_ALLOW_CLOSE: 'perhaps' })).rejects.toMatchObject({
      exit: 'usage',
    })
  })
})
