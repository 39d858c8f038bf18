import { describe, expect, it } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'

const run = (
  args: string[],
  env: Record<string, string> = {},
  called = { farhand: 'npx farhand', hub: 'npx farhand hub' },
) => runHere(args, { env, called })

describe('farhand', () => {
  it('teaches on one screen of 24 lines and 80 columns', async () => {
    const { out, code } = await run(['--help'], {}, { farhand: 'farhand', hub: 'farhand hub' })
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    for (const word of ['farhand run "', 'Begin with', 'help all', 'link', 'undo', 'doctor', 'user'])
      expect(out).toContain(word)
  })

  it('says of all commands what they do, and what the exit codes mean', async () => {
    const { out, code } = await run(['help', 'all'])
    expect(code).toBe(0)
    for (const line of ['undo', 'doctor', 'user', '130'])
      expect(out).toMatch(new RegExp(`^  ${line} +\\w.+`, 'm'))
    expect(out).not.toMatch(/^ +tree\b/m)
  })

  it('prints the help of the hub from the schema of its settings', async () => {
    const { out } = await run(['hub', '--help'])
    for (const words of ['--port <port>', '--data <folder>', '--keep-alive-ms <ms>', '--log-level <level>'])
      expect(out).toContain(words)
    expect(out).toContain('(default: 7717)')
    expect(out.replace(/\s+/g, ' ')).toContain('--no-allow-close do not let clients close runs')
    expect(out.replace(/\s+/g, ' ')).toContain('debug, info, warn, error, silent')
  })

  it('names the command as it was called', async () => {
    const started = { farhand: 'npx farhand', hub: 'npm start --' }
    expect((await run(['hub', '--help'], {}, started)).out).toContain('Usage: npm start -- [options]')
    expect((await run(['hub', 'stop', '--help'])).out).toContain('Usage: npx farhand hub stop [options]')
    expect((await run(['hub', '--prot', '1'], {}, started)).notes).toContain('Try `npm start -- --help`.')
    expect((await run(['nonsense'])).notes).toContain('Try `npx farhand --help`.')
    expect((await run(['--help'])).out).toContain('npx farhand run --agent rehearsal')
  })

  it('takes help for a word too, as in `npm start -- help`', async () => {
    expect(await run(['hub', 'help'])).toEqual(await run(['hub', '--help']))
    expect((await run(['help'])).out).toBe((await run(['--help'])).out)
  })

  it.each([
    [['nonsense'], 'unknown command'],
    [['hub', '--prot', '1'], 'Did you mean --port?'],
    [['user', 'add'], "missing required argument 'name'"],
    [['hub', 'extra'], 'too many arguments'],
    [['strat', '--help'], 'Did you mean start?'],
    [['help', 'lnk'], 'Did you mean link?'],
    [['user', 'ad', '-h'], 'Did you mean add?'],
  ])('ends with 2 for %j and says what is wrong', async (args, sentence) => {
    const { notes, code } = await run(args)
    expect(code).toBe(2)
    expect(notes).toContain(sentence)
  })

  it.each([
    [['history', '--json'], 'missing required argument'],
    [['hub', '--json', '--prot', '1'], 'unknown option'],
    [['user', 'nobody', '--json'], 'unknown'],
    [['secret', 'set', '--json'], 'missing required argument'],
    [['run', '--json', '--policy', 'yes'], 'allow-edits'],
  ])('tells programs that %j is wrong, once', async (args, sentence) => {
    const { out, code } = await run(args)
    expect([code, JSON.parse(out)]).toMatchObject([
      2,
      { event: 'error', code: 'usage', exit: 2, message: expect.stringContaining(sentence) },
    ])
  })

  it('tells programs that send needs a message, whichever run it is for', async () => {
    await expect(run(['send', '--json'])).rejects.toMatchObject({
      exit: 'usage',
      message: 'What should the message be?',
    })
  })

  it('takes no question for an error, also of programs', async () => {
    expect(await run(['history', '--json', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: /),
    })
  })

  it('stops before it starts when a setting is wrong, from an option or a variable', async () => {
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
