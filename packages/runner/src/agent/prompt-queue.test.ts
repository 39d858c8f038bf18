import { describe, expect, it } from 'vitest'
import { AgentIgnoredCancel } from './agent.ts'
import { words } from './agent-under-test.ts'
import { PromptQueue } from './prompt-queue.ts'

describe('PromptQueue', () => {
  it('calls an agent stubborn only if its answer could have been read for long enough', async () => {
    let heardForMs = 0
    let looks = 0
    let lookedOften = () => {}
    const often = new Promise<void>((resolve) => {
      lookedOften = resolve
    })
    const queue = new PromptQueue({
      send: () => new Promise(() => {}),
      heardForMs: () => {
        if (++looks === 3) lookedOften()
        return heardForMs
      },
      cancelPatienceMs: 1,
    })
    let settled = false
    const turn = queue.prompt(words('go')).finally(() => {
      settled = true
    })
    queue.cancel()
    await Promise.race([often, turn])
    expect(settled).toBe(false)
    heardForMs = 1
    await expect(turn).rejects.toBeInstanceOf(AgentIgnoredCancel)
  })

  it('knows of a cancel only while that turn is under way', async () => {
    const answers: (() => void)[] = []
    const queue = new PromptQueue({
      send: () => new Promise((resolve) => answers.push(() => resolve({ stopReason: 'cancelled' }))),
      heardForMs: () => 0,
      cancelPatienceMs: 60_000,
    })
    expect(queue.cancel()).toBe(false)
    const [first, second] = [queue.prompt(words('one')), queue.prompt(words('two'))]
    expect(queue.isCancelled).toBe(false)
    expect(queue.cancel()).toBe(true)
    expect(queue.isCancelled).toBe(true)
    answers.shift()!()
    await first
    expect(queue.isCancelled).toBe(false)
    answers.shift()!()
    await second
    expect(queue.cancel()).toBe(false)
  })
})
