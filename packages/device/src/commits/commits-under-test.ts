import { mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PlaceUnderTest } from '@farhand/runner/checkpoints/place-under-test'
import { RunUnderTest } from '@farhand/sync/hub/run-under-test'
import type { HubProcess } from '@farhand/testkit/hub-process'
import { onTestFinished } from 'vitest'
import { postBase } from '../base/post-base.ts'
import { RepositoryUnderTest } from '../base/repository-under-test.ts'
import { readLoggedCommits } from './read-logged-commits.ts'
import { type Taken, takeCommits } from './take-commits.ts'
import { UserRepository } from './user-repository.ts'

const { signal } = new AbortController()

/** A laptop with a repository, a run that began from it, and a sandbox in which the agent commits. */
export class CommitsUnderTest {
  readonly laptop: RepositoryUnderTest
  readonly run: RunUnderTest
  readonly place: PlaceUnderTest

  private constructor(laptop: RepositoryUnderTest, run: RunUnderTest, place: PlaceUnderTest) {
    this.laptop = laptop
    this.run = run
    this.place = place
  }

  /** `prepare` makes what the laptop has besides one commit with a file. */
  static async on(hub: HubProcess, prepare: (laptop: RepositoryUnderTest) => void = () => {}) {
    const laptop = new RepositoryUnderTest()
    laptop.commit({ 'a.txt': 'one\n' }, 'first')
    prepare(laptop)
    const run = await RunUnderTest.on(hub)
    const base = (await laptop.base())!
    await run.device('laptop', ...filesIn(laptop))
    const device = { ...run.hub, deviceId: 'dev_laptop00' }
    await postBase(device, run.at, base, { signal, filesAreThere: Promise.resolve(), onStored: () => {} })
    const place = new PlaceUnderTest()
    onTestFinished(() => place.die())
    await place.begin(run)
    return new CommitsUnderTest(laptop, run, place)
  }

  /** What the agent commits; the laptop hears of it when there is a checkpoint. */
  commit(files: Record<string, string>, message: string): string {
    for (const [name, text] of Object.entries(files)) this.place.write(name, text)
    this.place.git('add', '--all')
    this.place.git('commit', '--quiet', '--message', message)
    return this.place.git('rev-parse', 'HEAD').trim()
  }

  get kept(): string {
    return path.join(this.laptop.home, 'kept')
  }

  async take(folder = this.laptop.folder, kept = this.kept): Promise<Taken> {
    const { hub, at } = this.run
    const repository = (await UserRepository.around(folder, this.laptop.env, signal))!
    const log = await readLoggedCommits(hub, at, kept, { signal })
    return await takeCommits({ repository, place: kept, log, hub, at, signal })
  }

  /** The run's refs in the laptop's repository, without their common prefix. */
  names(folder = this.laptop.folder): Record<string, string> {
    const listed = this.laptop.gitIn(
      folder,
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/farhand',
    )
    const rows = listed.split('\n').filter((line) => line !== '')
    return Object.fromEntries(rows.map((row) => row.replace(/^refs\/farhand\/run_[^/]+\//, '').split(' ')))
  }

  /** All of the laptop's repository but its objects and our names: every byte. */
  untouched(folder = this.laptop.folder): Record<string, string> {
    const all = this.laptop.bytes(path.join(folder, '.git'))
    return Object.fromEntries(
      Object.entries(all).filter(([name]) => !/^(objects|refs\/farhand)(\/|$)/.test(name)),
    )
  }

  emptyFolder(): string {
    return mkdtempSync(path.join(this.laptop.home, 'empty-'))
  }
}

/** What a linked folder would send. */
function filesIn(laptop: RepositoryUnderTest): { path: string; text: string }[] {
  const listed = laptop.git('ls-files', '--cached', '--others', '-z').split('\0').slice(0, -1)
  const ignored = laptop
    .git('ls-files', '--cached', '--others', '--ignored', '--exclude-standard', '-z')
    .split('\0')
  return listed
    .filter((name) => !ignored.includes(name))
    .map((name) => ({ path: name, text: readFileSync(path.join(laptop.folder, name), 'utf8') }))
}
