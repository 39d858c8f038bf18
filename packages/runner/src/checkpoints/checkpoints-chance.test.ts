import { chmodSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hubForTests, RunUnderTest } from '@farhand/sync/hub/run-under-test'
import { Dice } from '@farhand/testkit/dice'
import { newSeed } from '@farhand/testkit/seeded'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { eventsOf, PlaceUnderTest } from './place-under-test.ts'

let hub: Awaited<ReturnType<typeof hubForTests>>
beforeAll(async () => {
  hub = await hubForTests()
})
afterAll(() => hub.close())

const rounds = inject('long') ? 30 : 2
const seed = newSeed()
const names = ['a', 'b', 'c/d', 'c/e', 'f g', 'h/i/j', 'ünï', '.gitignore', 'k.txt', '-l'] as const

/** What an agent may do to files; much of it comes to nothing, as it does with agents. */
function editByChance(place: PlaceUnderTest, dice: Dice): void {
  const name = dice.pick(names)
  const [at, to] = [join(place.root, name), join(place.root, dice.pick(names))]
  const deeds = [
    () =>
      place.write(name, name === '.gitignore' ? 'k.*\n' : `${dice.next()}\r\n`.repeat(dice.between(1, 50))),
    () => rmSync(at, { recursive: true, force: true }),
    () => chmodSync(at, dice.pick([0o644, 0o755])),
    () => symlinkSync(dice.pick(['a', 'nowhere', '../out']), at),
    () => renameSync(at, to),
    () => {
      rmSync(join(place.root, 'c'), { recursive: true, force: true })
      place.write('c', 'a file where a folder was')
    },
  ] as const
  attempt(dice.pick(deeds))
}

function useGitByChance(place: PlaceUnderTest, dice: Dice): void {
  const branch = dice.pick(['main', 'one', 'two'])
  const deeds = [
    ['add', '-A'],
    ['add', '--', dice.pick(names)],
    ['commit', '-q', '-m', `${dice.next()}`],
    ['commit', '-q', '-a', '--amend', '-m', 'again'],
    ['checkout', '-q', '-b', branch],
    ['checkout', '-q', branch],
    ['checkout', '-q', '--detach'],
    ['branch', '-D', branch],
    ['merge', branch],
    ['rebase', branch],
    ['merge', '--abort'],
    ['stash', '-q', '-u'],
    ['stash', 'pop'],
    ['reset', '-q', '--hard', 'HEAD~1'],
    ['tag', `${dice.between(1, 9)}`],
    ['gc', '-q', '--prune=now'],
    ['rm', '-q', '--cached', '--', dice.pick(names)],
  ] satisfies string[][]
  attempt(() => place.git(...dice.pick(deeds as [string[]])))
}

/** What of a place is the same in the next: not what was ignored in it, and what came in between is news. */
function whatCounts(place: PlaceUnderTest, news: string) {
  const { long: _, ...shown } = place.shown
  const { 'k.txt': __, [news]: ___, ...files } = place.files()
  const isOfThose = (line: string) => line.endsWith('k.txt') || (news !== '' && line.endsWith(news))
  const status = shown.status!.split('\n').filter((line) => !isOfThose(line))
  return { ...shown, status, files }
}

const filesTold = async (run: RunUnderTest) =>
  (await eventsOf(run)).filter(({ notification }) => /file_/.test(notification.method)).length

function attempt(deed: () => unknown): void {
  try {
    deed()
  } catch {
    // There is nothing to do that to.
  }
}

describe(`a run whose sandboxes die, by chance (--seed ${seed})`, { timeout: rounds * 180_000 }, () => {
  it('S15 has the same files and the same repository in each of them, and recovery tells of no change', async () => {
    const dice = new Dice(seed)
    for (let round = 0; round < rounds; round += 1) {
      const run = await RunUnderTest.on(hub.hub)
      const places: PlaceUnderTest[] = []
      onTestFinished(async () => {
        for (const place of places) await place.die()
      })
      const next = async () => {
        const place = new PlaceUnderTest()
        places.push(place)
        return await place.begin(run)
      }
      let place = await next()
      const hasGit = dice.chance(0.8)
      if (hasGit) place.git('init', '-q', '-b', 'main')
      for (let life = 0; life < 3; life += 1) {
        for (let checkpoint = dice.between(1, 2); checkpoint > 0; checkpoint -= 1) {
          for (let deed = dice.between(5, 25); deed > 0; deed -= 1) {
            editByChance(place, dice)
            if (hasGit && dice.chance(0.5)) useGitByChance(place, dice)
          }
          await place.checkpoint()
        }
        // What git does after the last checkpoint may be lost with a place; what happens to files is not.
        for (let deed = dice.between(0, 5); deed > 0; deed -= 1) editByChance(place, dice)
        await place.settled()
        const before = whatCounts(place, '')
        await place.die()
        const news = `from a device/${life}`
        await run.device('laptop', { path: news, text: 'x' })
        const told = await filesTold(run)
        place = await next()
        expect(place.read(news)).toBe('x')
        expect(whatCounts(place, news), `round ${round}, life ${life}`).toEqual(before)
        await place.settled()
        expect(await filesTold(run)).toBe(told)
      }
    }
  })
})
