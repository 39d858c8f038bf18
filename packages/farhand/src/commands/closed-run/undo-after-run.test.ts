import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { RunUnderTest } from '../run/run-under-test.ts'

/** A folder with a file, in which an agent was told something once; its run is closed. */
async function afterRun(prompt: string) {
  const run = await RunUnderTest.begin()
  const file = (name: string) => path.join(run.folder, name)
  writeFileSync(file('mine.txt'), 'mine')
  writeFileSync(file('both.txt'), 'mine')
  const { code, errors } = await run.run(prompt).all()
  expect(code, errors).toBe(0)
  const access = ['--state', run.state, '--hub', run.hub.url, '--token', run.hub.token]
  return {
    run,
    file,
    read: (name: string) => readFileSync(file(name), 'utf8'),
    here: async (...words: string[]) => (await runHere([...words, ...access], { cwd: run.folder })).out,
    status: async () => JSON.parse((await run.here('ls', '--json'))[0]!).status as string,
  }
}

describe('after a run that was closed', () => {
  it('undo takes back what the agent did in the folder, and leaves alone what was changed there since', async () => {
    const { here, read, file, status } = await afterRun(
      'write mine.txt with "agent". write both.txt with "agent". write new.txt with "agent"',
    )
    writeFileSync(file('both.txt'), 'changed since')
    expect(await here('undo', '--dry-run')).toContain('left alone  both.txt  (changed again since)')
    expect(read('mine.txt')).toBe('agent')
    expect(await here('undo')).toContain('1 file changed back, 1 deleted.')
    expect([read('mine.txt'), read('both.txt'), existsSync(file('new.txt'))]).toEqual([
      'mine',
      'changed since',
      false,
    ])
    expect(await status()).toBe('closed')
    // And what was taken back can be had again.
    const [, eventId] = /@(\d+) .*replaced/.exec(await here('history', 'mine.txt'))!
    await here('restore', `mine.txt@${eventId}`)
    expect(read('mine.txt')).toBe('agent')
    expect(await status()).toBe('closed')
  })

  it('restore keeps the version that was only in the folder before it puts another one there', async () => {
    const { here, read, file } = await afterRun('write mine.txt with "agent"')
    writeFileSync(file('mine.txt'), 'nowhere else')
    const [, first] = /@(\d+) [^\n]*\n[^@]*$/.exec(await here('history', 'mine.txt'))!
    await here('restore', `mine.txt@${first}`)
    expect(read('mine.txt')).toBe('mine')
    const [, kept] = /@(\d+) .*kept/.exec(await here('history', 'mine.txt'))!
    await here('restore', `mine.txt@${kept}`)
    expect(read('mine.txt')).toBe('nowhere else')
  })

  it('restore says what it did where the run had that version and the folder had not', async () => {
    const { here, read, file } = await afterRun('write mine.txt with "agent"')
    writeFileSync(file('mine.txt'), 'nowhere else')
    const [, current] = /@(\d+) .*current/.exec(await here('history', 'mine.txt'))!
    expect(await here('restore', `mine.txt@${current}`)).toContain('mine.txt is again the version')
    expect(read('mine.txt')).toBe('agent')
    expect(await here('restore', `mine.txt@${current}`)).toContain('nothing was changed')
  })

  it('undo never takes away the files that a run began with', async () => {
    const { here, read } = await afterRun('say hello')
    expect(await here('undo')).toBe('There is nothing to undo.\n')
    expect([read('mine.txt'), read('both.txt')]).toEqual(['mine', 'mine'])
  })
})
