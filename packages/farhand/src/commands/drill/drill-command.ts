import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { drillPrompts } from '@farhand/device/drill/drill-prompts'
import { drillRound, type Round, type RoundPlan } from '@farhand/device/drill/drill-round'
import { DrillStage } from '@farhand/device/drill/drill-stage'
import { type Victim, victims } from '@farhand/device/drill/victims'
import { usableAgent } from '@farhand/device/installed-agents/local-agents'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { seededRandom } from '@farhand/kit/seeded-random'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { roundInWords, stepTimes, summaryInWords } from './drill-report.ts'

export type DrillFlags = Readonly<
  Partial<Record<'agent' | 'sandbox' | 'kill' | 'rounds' | 'seed' | 'keep' | 'state' | 'json', unknown>>
>

const knownWords = 'heron otter lynx magpie badger falcon marten osprey vole wren ibis stoat'.split(' ')

/** Kills parts of a run on a throw-away repository in the middle of its turns, and shows that nothing is lost. */
export const drillCommand = (flags: DrillFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const kill = oneOf(String(flags.kill ?? 'sandbox'), [...victims, 'random'] as const)
    const rounds = wholeNumber(flags.rounds ?? 1, '--rounds')
    const seed =
      flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber(flags.seed, '--seed')
    const agent = String(flags.agent ?? 'rehearsal')
    const state = stateFolderPath(flags.state, context)
    usableAgent(agent, state, context)
    const chance = seededRandom(seed)
    const home = mkdtempSync(path.join(tmpdir(), 'farhand-drill-'))
    const tell = (text: string) => (flags.json ? undefined : context.out(text))
    tell(`A drill with ${agent}, in ${home} (seed ${seed}).\n`)
    const words = drillPrompts(agent)
    const known = new Map([[0, pick(knownWords, chance)]])
    const results: Round[] = []
    let stage: DrillStage | null = null
    let isWell = false
    let isClean = true
    try {
      const terms = { agent, sandbox: String(flags.sandbox ?? 'auto'), state }
      stage = await DrillStage.set(home, terms, words.work(0, known.get(0)!, []), context)
      let late = 0
      for (let message = 1; results.length < rounds && !context.stop.aborted; message++) {
        known.set(message, `${pick(knownWords, chance)}-${message}`)
        const plan = planOf(message, kill, known, chance)
        const outcome = await drillRound(stage, late === 0 ? plan : atOnce(plan), words, context)
        if (outcome === null) {
          if (++late >= mostLate) throw tooLate(late)
          tell(`The agent was done before the ${plan.victim} was killed: once more.\n`)
          continue
        }
        late = 0
        const result = { ...outcome, round: results.length + 1 }
        results.push(result)
        if (flags.json) context.out(`${JSON.stringify({ event: 'round', ...result })}\n`)
        else tell(roundInWords(result, rounds, paint(context.color)))
      }
      isWell = true
    } finally {
      isClean = (await stage?.close(!isWell || flags.keep === true)) ?? true
      if (!isWell || flags.keep) context.note(`Kept: ${home}; seed ${seed}\n`)
    }
    if (!isClean) throw leftBehind(home)
    if (flags.json)
      context.out(`${JSON.stringify({ event: 'over', rounds: results.length, times: stepTimes(results) })}\n`)
    else tell(summaryInWords(results))
  })

/** So many times in a row the kill may come too late. */
const mostLate = 10

const atOnce = (plan: RoundPlan): RoundPlan => ({ ...plan, afterFile: 1, delayMs: 0 })

const tooLate = (times: number) =>
  new Trouble(
    'failed',
    `The agent was done before anything could be killed, ${times} times in a row.`,
    'Try again when this machine is less busy.',
  )

const leftBehind = (home: string) =>
  new Trouble(
    'failed',
    'The run was closed, and something of its sandbox is still there.',
    `Look at ${home}.`,
  )

function planOf(
  round: number,
  kill: Victim | 'random',
  words: ReadonlyMap<number, string>,
  chance: () => number,
): RoundPlan {
  const victim = kill === 'random' ? pick(victims, chance) : kill
  const earlier = Math.floor(chance() * round)
  return {
    round,
    victim,
    afterFile: 1 + Math.floor(chance() * 3),
    delayMs: Math.floor(chance() * 200),
    words,
    asks: [round, earlier],
  }
}

const pick = <Item>(items: readonly Item[], chance: () => number) =>
  items[Math.floor(chance() * items.length)]!

function oneOf<Word extends string>(word: string, allowed: readonly Word[]): Word {
  const found = allowed.find((one) => one === word)
  if (found) return found
  throw new Trouble('usage', `"${word}" cannot be killed.`, `Say --kill ${allowed.join('|')}.`)
}

function wholeNumber(given: unknown, flag: string): number {
  const number = Number(given)
  if (Number.isSafeInteger(number) && number > 0) return number
  throw new Trouble('usage', `${flag} is "${given}".`, 'Give a whole number from 1 up.')
}
