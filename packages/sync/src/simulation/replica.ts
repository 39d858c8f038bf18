import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Author } from '@farhand/protocol/wire/event'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { syncFolder } from '../engine/folder-sync.ts'
import type { Wins } from '../engine/reconcile.ts'
import type { SyncAnswer, SyncQuestion } from '../engine/sync-notes.ts'
import { FakeDisk } from './fake-disk.ts'
import { type FakeHub, Fenced } from './fake-hub.ts'
import { FakeMemory } from './fake-memory.ts'
import type { Life, Scheduler } from './scheduler.ts'

type Parts = { scheduler: Scheduler; hub: FakeHub; base: [WorkspacePath, FileEntry][] }

/** A folder that is kept in sync by the real brain, through lives that may end at any step. */
export class Replica {
  readonly name: string
  readonly wins: Wins
  readonly disk: FakeDisk
  readonly #parts: Parts
  readonly #memory: FakeMemory
  /** Runners of before that worked in this folder. */
  readonly #generations = new Set<number>()
  #life: Life | null = null
  #author: Author
  /** When it comes back, in steps; null while it lives, or if it does not. */
  backAt: number | null = null
  deathRate = 0
  deaths = 0
  failure: unknown = null
  isFenced = false
  /** Paths where the user said that the log wins this time. */
  readonly yields = new Set<WorkspacePath>()

  constructor(name: string, author: Author, parts: Parts) {
    this.name = name
    this.#author = author
    this.wins = author.kind === 'runner' ? 'log' : 'disk'
    this.#parts = parts
    this.#memory = new FakeMemory(parts.scheduler)
    const when = () => ({ at: parts.hub.events.length, isMet: this.#memory.hasMet })
    this.disk = new FakeDisk(parts.scheduler, name, when)
  }

  get author(): Author {
    return this.#author
  }

  get isUp(): boolean {
    return this.#life !== null
  }

  start(): void {
    const { scheduler, hub, base } = this.#parts
    this.backAt = null
    if (this.#author.kind === 'runner') {
      hub.generation += 1
      this.#author = { kind: 'runner', generation: hub.generation }
      this.#generations.add(hub.generation)
      hub.append({ kind: 'hub' }, wireName('session_start'), { generation: hub.generation })
    }
    const life: Life = { name: this.name, isDead: false, stop: new AbortController() }
    this.#life = life
    scheduler.tell(`${this.name} starts`)
    const mayDie = () => {
      if (this.#life === life && scheduler.chance(this.deathRate)) this.kill('in the middle of something')
    }
    syncFolder({
      disk: this.disk.port(life, mayDie),
      hub: hub.port(life, this.#author, (by) => this.#isOurs(by)),
      memory: this.#memory.port(life, mayDie),
      wins: this.wins,
      base,
      ask: (question, signal) => this.#answer(life, question, signal),
      timing: {
        now: () => scheduler.now,
        sleep: (ms, signal) =>
          scheduler.wait(life, `${this.name} sleeps`, { due: scheduler.now + ms, signal }),
      },
      signal: life.stop.signal,
    }).then(
      () => this.#ended(life, null),
      (error) => this.#ended(life, error),
    )
  }

  /** Ends as by SIGKILL. */
  kill(how: string): void {
    if (!this.#life) return
    const life = this.#life
    this.#life = null
    this.#parts.scheduler.tell(`${this.name} is killed ${how}`)
    this.deaths += 1
    this.#parts.scheduler.kill(life)
    this.#comeBack()
  }

  stop(): void {
    this.#life?.stop.abort(new Error('stopped'))
  }

  /** Comes back with no memory of the run, and under the name it had. */
  forget(): void {
    this.kill('and what it remembers is lost')
    this.#memory.lose()
    this.disk.meetAnew()
  }

  /** It does not come back. */
  retire(): void {
    this.kill('for good')
    this.backAt = null
  }

  #comeBack(): void {
    this.backAt = this.#parts.scheduler.steps + Math.floor(this.#parts.scheduler.roll() * 40)
  }

  #isOurs(by: SeenAuthor): boolean {
    if (by.kind === 'runner') return this.#generations.has(by.generation)
    return by.kind === 'device' && this.#author.kind === 'device' && by.id === this.#author.id
  }

  #ended(life: Life, error: unknown): void {
    if (life.isDead) return
    this.#life = null
    this.#parts.scheduler.kill(life)
    this.#parts.scheduler.tell(`${this.name} has ended${error ? `: ${error}` : ''}`)
    if (error instanceof Fenced) this.isFenced = true
    else if (error) this.failure = error
    else if (life.stop.signal.aborted) this.#comeBack()
    else this.failure = new Error('ended by itself')
  }

  async #answer<Question extends SyncQuestion>(life: Life, question: Question, signal: AbortSignal) {
    const { scheduler } = this.#parts
    await scheduler.wait(life, `${this.name} is asked ${question.is}`, { signal })
    const answers: Record<SyncQuestion['is'], SyncAnswer[]> = {
      'first-attach': this.wins === 'log' ? ['theirs'] : ['mine', 'theirs'],
      vanished: ['delete', 'bring-back'],
      'head-moved': ['send'],
    }
    const answer = scheduler.pick(answers[question.is])
    scheduler.tell(`${this.name} is asked ${question.is} and says ${answer}`)
    if (answer === 'theirs' || answer === 'bring-back')
      for (const path of this.disk.made.keys()) this.yields.add(path)
    return answer as SyncAnswer<Question>
  }
}
