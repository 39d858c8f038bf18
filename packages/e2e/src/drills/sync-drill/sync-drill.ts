import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import { FileVersions } from '@farhand/protocol/files/file-versions'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Dice } from '@farhand/testkit/dice'
import type { FolderTree } from '../../files/folder-tree.ts'
import { Person } from './person.ts'
import type { Stage } from './stage.ts'
import { hashIn, localWins, type UserChange, versionsOwed } from './user-changes.ts'

export type DrillResult = { changes: number; judged: number; owed: number; events: number }

/**
 * Two people edit two linked folders as chance wants, connections break, processes are killed; then there is silence,
 * and it is checked what the rules promise. Over and over until the time is up. Throws what does not hold.
 */
export async function syncDrill(stage: Stage, seed: number, rounds: number, roundMs: number) {
  const dice = new Dice(seed)
  const result: DrillResult = { changes: 0, judged: 0, owed: 0, events: 0 }
  const everything = { laptop: [] as UserChange[], sandbox: [] as UserChange[] }
  for (let round = 0; round <= rounds; round++) {
    // A restart finds what a watcher has missed: in the last round nothing is killed, so that only watchers can have found it.
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
    result.changes += people.laptop.changes.length + people.sandbox.changes.length
    result.judged += checkWhoWon(tree, people.laptop.changes, people.sandbox.changes)
    for (const name of ['laptop', 'sandbox'] as const) {
      everything[name].push(...people[name].changes)
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
function checkWhoWon(
  tree: FolderTree,
  laptop: readonly UserChange[],
  sandbox: readonly UserChange[],
): number {
  const at = (changes: readonly UserChange[], path: string) =>
    changes.filter((change) => change.path === path)
  let judged = 0
  for (const path of new Set(laptop.map(({ path }) => path))) {
    const word = tree.get(path) ?? null
    const verdict = localWins(word, at(laptop, path), at(sandbox, path))
    if (verdict === null) continue
    judged += 1
    if (!verdict) {
      const [mine, theirs] = [at(laptop, path), at(sandbox, path)].map((changes) =>
        JSON.stringify(changes.slice(-6)),
      )
      throw new Error(`S2 local wins: ${path} is ${word}\nlaptop did ${mine}\nsandbox did ${theirs}`)
    }
  }
  return judged
}

/** S4: every version that no person replaced or deleted is there, or can be restored with its bytes. */
async function checkNothingLost(
  { hub, run }: Stage,
  name: string,
  changes: readonly UserChange[],
  tree: FolderTree,
  events: readonly SeenEvent[],
): Promise<number> {
  const versions = new FileVersions()
  for (const event of events) versions.take(event)
  const owed = versionsOwed(changes).filter(({ path, word }) => tree.get(path) !== word)
  const wanted = new Set<BlobHash>()
  for (const { path, word } of owed) {
    const known = versions.of(path).find(({ entry }) => entry && `${entry.mode} ${entry.hash}` === word)
    const isAdrift = changes.some((change) => change.adrift && change.path === path && change.left === word)
    const did = () => JSON.stringify(changes.filter((change) => change.path === path).slice(-8))
    if (!known)
      throw new Error(`S4 the ${name}'s ${word} at ${path} is lost${isAdrift ? ' (adrift)' : ''}: ${did()}`)
    wanted.add(hashIn(word) as BlobHash)
  }
  for await (const { hash, bytes } of fetchBlobs(hub, run, wanted)) {
    if (!bytes) throw new Error(`S4 the hub has no content for ${hash}, of which the log speaks`)
  }
  return owed.length
}
