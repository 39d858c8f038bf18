import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Dice } from '@farhand/testkit/dice'
import { judgeTurns } from '../turn-drill/turn-rules.ts'
import { wrongAgain, wrongFiles, wrongLeft, wrongRecord } from './aftermath.ts'
import { buildClient } from './client-process.ts'
import { canFindAgents } from './drill-processes.ts'
import { wrongJournals } from './journal-rules.ts'
import { Lane, type Played } from './lane.ts'
import { type Act, again, allPairs, type Pair, planActs } from './plan.ts'
import { type Victim, victims } from './steps.ts'

export type Outcome = { kills: number; messages: number; events: number; wrongs: string[] }

const lanesAtOnce = 3
/** On a busy machine a moment is often over before the process to be killed in it is running. */
const mostTries = 12
/** A runner that is fed from files has no client, and the same agent as all others. */
const fedScenes = new Set(['work', 'cancel', 'close'])
const fedSteps = new Set(['message', 'ack', 'permission', 'cancel', 'close'])

/** Plays every scene with every kill, or a share of them by chance, several runs at a time, and judges what is left. */
export async function turnSteps(home: string, seed: number, rounds: number, share = 1): Promise<Outcome> {
  const dice = new Dice(seed)
  const plan = (whom: readonly Victim[], isWanted: (pair: Pair) => boolean) =>
    Array.from({ length: rounds }, () => {
      const pairs = allPairs(dice, rounds > 1, whom)
      return planActs(
        pairs.filter((pair) => isWanted(pair) && dice.chance(share)),
        dice,
      )
    }).flat()
  const acts = plan(
    victims.filter((victim) => victim !== 'agent' || canFindAgents),
    () => true,
  )
  const isFed = ({ scene, step }: Pair) => fedScenes.has(scene) && fedSteps.has(step)
  await buildClient(home)
  const lanes = [
    ...Array.from({ length: lanesAtOnce }, (_, lane) => ({
      name: `lane-${lane}`,
      isFed: false,
      waiting: acts.filter((_, nth) => nth % lanesAtOnce === lane),
    })),
    { name: 'fed', isFed: true, waiting: plan(['runner', 'hub'], isFed) },
  ]
  const stop = () => {
    for (const { waiting } of lanes) waiting.length = 0
  }
  const played = await Promise.allSettled(
    lanes.map(({ name, isFed, waiting }) => playLane(join(home, name), isFed, waiting, stop)),
  )
  const failed = played.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  const outcomes = played.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  return outcomes.reduce((sum, one) => ({
    kills: sum.kills + one.kills,
    messages: sum.messages + one.messages,
    events: sum.events + one.events,
    wrongs: [...sum.wrongs, ...one.wrongs],
  }))
}

async function playLane(home: string, isFed: boolean, waiting: Act[], stop: () => void): Promise<Outcome> {
  mkdirSync(home, { recursive: true })
  const lane = await Lane.open(home, isFed)
  const { processes, reader } = lane
  try {
    const kills = await playAll(lane, waiting, stop)
    const code = await lane.end()
    const { messages, wrongs } = judgeTurns(reader.events)
    if (code !== 0) wrongs.push(`the runner ended with ${code}: ${processes.runner.complaints.slice(-1000)}`)
    wrongs.push(
      ...(await wrongRecord(processes.places.device, reader.events)),
      ...wrongLeft(processes.at.run),
    )
    processes.readJournal()
    const journals = [...processes.journals.values()]
    wrongs.push(
      ...wrongJournals(journals, reader.events),
      ...wrongAgain(messages, lane.deaths, reader.events),
    )
    wrongs.push(...wrongFiles(processes.places.workspace, messages, reader.events))
    const named = wrongs.map((wrong) => `${home}: ${wrong}${whenOf(wrong, lane.played)}`)
    return { kills, messages: messages.length, events: reader.events.length, wrongs: named }
  } finally {
    reader.leave()
    await processes.dismiss()
  }
}

/** Who was killed when, around the event or the message that something is wrong with. */
function whenOf(wrong: string, played: readonly Played[]): string {
  const id = Number(/\b(?:event|message) (\d+)/.exec(wrong)?.[1])
  const around = played.find(({ from, to }) => id >= from && id <= to)
  return around ? `, in ${JSON.stringify(around.act)}` : ''
}

async function playAll(lane: Lane, waiting: Act[], stop: () => void): Promise<number> {
  const tries = new Map<string, number>()
  let kills = 0
  for (let act = waiting.shift(); act; act = waiting.shift()) {
    const missed = await lane.act(act).catch((why: unknown) => {
      // The others need not go on either.
      stop()
      throw new Error(`${JSON.stringify(act)}: ${(why as Error).message}`, { cause: why })
    })
    kills += act.phases.flat().length - missed.length
    for (const kill of missed) {
      const name = `${act.scene} ${JSON.stringify(kill)}`
      const nth = (tries.get(name) ?? 1) + 1
      if (nth > mostTries) {
        stop()
        throw new Error(`the moment never came: ${name}`)
      }
      tries.set(name, nth)
      waiting.push(again(act.scene, kill))
    }
  }
  return kills
}
