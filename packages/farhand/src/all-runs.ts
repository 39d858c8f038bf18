import type { CallOptions } from '@farhand/client/call'
import type { Hub } from '@farhand/client/hub'
import { listProjects, listRuns, listTasks } from '@farhand/client/resources'
import type { Run } from '@farhand/protocol/api'

export type ListedRun = { run: Run; project: string; title: string }

const atOnce = 8

/** Every run of this user's, newest first. */
export async function allRuns(hub: Hub, options: CallOptions): Promise<ListedRun[]> {
  const projects = await everyPage((cursor) => listProjects(hub, { ...options, ...cursor }))
  const tasks = await each(projects, async (project) => {
    const found = await everyPage((cursor) => listTasks(hub, project.id, { ...options, ...cursor }))
    return found.map((task) => ({ project, task }))
  })
  const runs = await each(tasks, async ({ project, task }) => {
    const found = await everyPage((cursor) => listRuns(hub, project.id, task.id, { ...options, ...cursor }))
    return found.map((run) => ({ run, project: project.name, title: task.title }))
  })
  return runs.sort((a, b) => (a.run.createdAt < b.run.createdAt ? 1 : -1))
}

type Page<Item> = { items: Item[]; next: string | null }

async function everyPage<Item>(read: (cursor: { cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const page: Page<Item> = await read(next === undefined ? {} : { cursor: next })
    all.push(...page.items)
    next = page.next
  }
  return all
}

/** Does something with each of them, a few at a time, and gives all that came of it, in order. */
export async function each<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: (readonly Result[])[] = []
  const waiting = items.entries()
  const work = async () => {
    for (const [at, item] of waiting) results[at] = await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results.flat()
}
