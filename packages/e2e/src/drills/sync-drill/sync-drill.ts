import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { FileVersions } from '@farhand/protocol/files/file-versions'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Dice } from '@farhand/testkit/dice'
import type { FolderTree } from '../../files/folder-tree.ts'
import { type Deed, hashIn, localWins, versionsOwed } from './deeds.ts'
import { Person } from './person.ts'
import type { Stage } from './stage.ts'

export type DrillResult = { deeds: number; judged: number; owed: number; events: number }

/**
 * Two people edit two linked folders as chance wants, connections break, processes are killed; then there is silence,
 * and it is checked what the rules promise. Over and over until the time is up. Throws what does not hold.
 */
export async function syncDrill(stage: Stage, seed: number, rounds: number, roundMs: number) {
  const dice = new Dice(seed)
  const result: DrillResult = { deeds: 0, judged: 0, owed: 0, events: 0 }
  const everything = { laptop: [] as Deed[], sandbox: [] as Deed[] }
  for (let round = 0; round <= rounds; round++) {
    // A start finds what a watcher has missed: in the end nobody dies, so that only watchers can have found it.
    const isCalm = round === rounds
    const people = {
      laptop: new Person(
        `laptop ${round}`,
        stage.laptop.folder,
        join(stage.home, `aside-l${round}`),
        dice.fork(),
        { usesGit: true },
      ),
      sandbox: new Person(
        `sandbox ${round}`,
        stage.sandbox.folder,
        join(stage.home, `aside-s${round}`),
        dice.fork(),
      ),
    }
    await turmoil(stage, people, dice.fork(), { forMs: roundMs, isCalm })
    const { tree, events } = await stage.atRest()
    result.events = events.length
    result.deeds += people.laptop.deeds.length + people.sandbox.deeds.length
    result.judged += checkWhoWon(tree, people.laptop.deeds, people.sandbox.deeds)
    for (const name of ['laptop', 'sandbox'] as const) {
      everything[name].push(...people[name].deeds)
      result.owed += await checkNothingLost(stage, name, everything[name], tree, events)
    }
  }
  return result
}

async function turmoil(
  stage: Stage,
  people: Record<string, Person>,
  dice: Dice,
  { forMs, isCalm }: { forMs: number; isCalm: boolean },
): Promise<void> {
  const until = performance.now() + forMs
  const editing = Object.values(people).map(async (person) => {
    const pace = dice.fork()
    while (performance.now() < until) {
      person.act()
      await sleep(pace.chance(0.1) ? pace.between(50, 400) : pace.between(0, 15))
    }
    person.rest()
  })
  while (!isCalm && performance.now() < until) {
    await sleep(dice.between(200, 2500))
    await stage.killOne(dice)
  }
  await Promise.all(editing)
}

/** S2: what the laptop left last stays, unless the sandbox knew it and went on from there. */
function checkWhoWon(tree: FolderTree, laptop: readonly Deed[], sandbox: readonly Deed[]): number {
  const at = (deeds: readonly Deed[], path: string) => deeds.filter((deed) => deed.path === path)
  let judged = 0
  for (const path of new Set(laptop.map(({ path }) => path))) {
    const word = tree.get(path) ?? null
    const verdict = localWins(word, at(laptop, path), at(sandbox, path))
    if (verdict === null) continue
    judged += 1
    if (!verdict) {
      const [mine, theirs] = [at(laptop, path), at(sandbox, path)].map((deeds) =>
        JSON.stringify(deeds.slice(-6)),
      )
      throw new Error(`S2 local wins: ${path} is ${word}\nlaptop did ${mine}\nsandbox did ${theirs}`)
    }
  }
  return judged
}

/** S4: what nobody took away on purpose is there, or can be had back, bytes and all. */
async function checkNothingLost(
  { hub, run }: Stage,
  name: string,
  deeds: readonly Deed[],
  tree: FolderTree,
  events: readonly SeenEvent[],
): Promise<number> {
  const versions = new FileVersions()
  for (const event of events) versions.take(event)
  const owed = versionsOwed(deeds).filter(({ path, word }) => tree.get(path) !== word)
  const wanted = new Set<BlobHash>()
  for (const { path, word } of owed) {
    const known = versions.of(path).find(({ entry }) => entry && `${entry.mode} ${entry.hash}` === word)
    const isAdrift = deeds.some((deed) => deed.adrift && deed.path === path && deed.left === word)
    const did = () => JSON.stringify(deeds.filter((deed) => deed.path === path).slice(-8))
    if (!known)
      throw new Error(`S4 the ${name}'s ${word} at ${path} is lost${isAdrift ? ' (adrift)' : ''}: ${did()}`)
    wanted.add(hashIn(word) as BlobHash)
  }
  for await (const { hash, bytes } of fetchBlobs(hub, run, wanted)) {
    if (!bytes) throw new Error(`S4 the hub has no content for ${hash}, of which the log speaks`)
  }
  return owed.length
}
