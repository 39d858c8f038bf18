import { pageOf, Task } from '@farhand/protocol/schemas/api'
import { paths } from '@farhand/protocol/wire/routes'
import { BrokenPromise } from './log-rules.ts'
import type { Stage } from './stage.ts'
import { show } from './stamped-writer.ts'

const Page = pageOf(Task)

/** Makes tasks, each under a key, until told that they are there; in the end each must be there once (W2, W9). */
export async function makeTasks(stage: Stage): Promise<void> {
  const dice = stage.dice.fork()
  const made = new Map<string, string>()
  for (let count = 1; !stage.closing; count += 1) {
    const title = `task ${count}`
    made.set(title, await make(stage, title))
    if (dice.chance(0.2)) {
      const again = await make(stage, title)
      if (again !== made.get(title))
        throw new BrokenPromise(`${title} was ${made.get(title)} and is ${again}`)
    }
    await stage.pause(dice.between(0, 20))
  }
  const found = (await list(stage)).filter(({ title }) => title.startsWith('task '))
  if (found.length !== made.size)
    throw new BrokenPromise(`${made.size} tasks were made, ${found.length} are there`)
  for (const { title, id } of found)
    if (made.get(title) !== id) throw new BrokenPromise(`${title} was ${made.get(title)} and is ${id}`)
}

async function make(stage: Stage, title: string): Promise<string> {
  for (;;) {
    const answer = await stage.call({
      method: 'POST',
      path: paths.tasks(stage.at.project),
      headers: { 'Idempotency-Key': title.replace(' ', '-') },
      body: JSON.stringify({ title }),
    })
    if (answer === 'lost' || answer.status === 503) continue
    if (answer.status !== 201) throw new BrokenPromise(`${title} was asked for: ${show(answer)}`)
    return Task.parse(JSON.parse(answer.text)).id
  }
}

async function list(stage: Stage): Promise<Task[]> {
  const tasks: Task[] = []
  for (let query = ''; ; ) {
    const answer = await stage.call({ method: 'GET', path: `${paths.tasks(stage.at.project)}${query}` })
    if (answer === 'lost') continue
    const { items, next } = Page.parse(JSON.parse(answer.text))
    tasks.push(...items)
    if (next === null) return tasks
    query = `?cursor=${encodeURIComponent(next)}`
  }
}
