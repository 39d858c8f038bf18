import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Occurrence, Schedule } from '@farhand/protocol/schemas/schedules'
import { describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'

const soon = { timeout: 120_000, interval: 300 }

describe('farhand schedule', { timeout: 180_000 }, () => {
  it('W90 adds, lists, pauses, runs and removes a schedule, and its history says what became of each due time', async () => {
    const [data, state, cwd] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
    const hub = farhand('hub', '--port', '0', '--data', data, '--json')
    const { url, token } = JSON.parse(await hub.line())
    const env = { FARHAND_URL: url, FARHAND_TOKEN: token, FARHAND_STATE: state }
    const schedule = (...words: string[]) => runHere(['schedule', ...words], { env, cwd })
    const json = async <T>(...words: string[]): Promise<T[]> =>
      (await schedule(...words, '--json')).out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as T)

    expect((await schedule('list')).out).toContain('There are no schedules.')
    const when = ['--cron', '0 9 * * 1-5', '--zone', 'Europe/Berlin']
    const more = ['--agent', 'rehearsal', '--name', 'Morning', '--overlap', 'queue', '--max-runs', '3']
    const added = await schedule('add', 'say good morning', ...when, ...more)
    expect(added.out).toContain('Monday to Friday at 09:00 (Europe/Berlin)')
    expect(added.out.match(/\d{4} 09:00/g)).toHaveLength(3)
    expect(added.notes).toContain('begin in an empty folder')
    const [made] = await json<Schedule>('show', 'Morning')
    expect(made).toMatchObject({ name: 'Morning', overlap: 'queue', maxRuns: 3, run: { agent: 'rehearsal' } })

    expect((await schedule('pause', made!.id.slice(0, 12))).out).toContain('paused: You paused it.')
    expect((await schedule('history', 'Morning')).out).toBe('Morning was not due yet.\n')
    await schedule('run', 'Morning')
    await expect
      .poll(() => json<Occurrence>('history', 'Morning'), soon)
      .toMatchObject([{ state: 'finished', by: 'user', run: expect.stringMatching(/^run_/) }])
    expect((await schedule('history', 'Morning')).out).toMatch(/finished {2}run_\w+ {2}You started it\.\n$/)
    const [of] = await json<Occurrence>('history', 'Morning')
    const runs = (await runHere(['ls', '--json'], { env, cwd })).out
    expect(JSON.parse(runs)).toMatchObject({ run: of!.run, title: 'Morning', schedule: 'Morning' })

    expect((await schedule('resume', 'Morning')).out).toContain('next: ')
    await expect(schedule('show', 'Evening')).rejects.toThrow('There is no schedule Evening')
    const past = ['--at', '2020-01-01T09:00', '--agent', 'rehearsal']
    await expect(schedule('add', 'x', ...past)).rejects.toThrow('is past')
    await schedule('remove', 'Morning')
    expect((await schedule('list')).out).toContain('There are no schedules.')
    await runHere(['close', of!.run!], { env, cwd })
    await expect.poll(() => readdir(path.join(data, 'sandboxes')), soon).toEqual([])
    hub.child.kill('SIGTERM')
    await hub.exitCode
  })
})
