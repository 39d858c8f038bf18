import { rm } from 'node:fs/promises'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CommandContext } from '../../context/command-context.ts'
import { talkUnderTest } from './talk-under-test.ts'

let hubProcess: HubProcess
beforeAll(async () => {
  hubProcess = await HubProcess.start()
})
afterAll(async () => {
  await hubProcess.kill()
  await rm(hubProcess.data, { recursive: true, force: true })
})

const atTerminal = (first?: 'at work' | 'idle', isTyping?: CommandContext['isTyping']) =>
  talkUnderTest(hubProcess, first, isTyping)

describe('a line that the user types', { timeout: 60_000 }, () => {
  it('answers no question but the one they saw: another that took its place is asked again', async () => {
    const me = await atTerminal()
    const first = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    await me.answersElsewhere(first)
    const second = await me.asks('Run `rm -rf .`?')
    await me.sees('? Run `rm -rf .`?')
    me.type('1')
    await me.sees('was not used')
    await me.sees('? Run `rm -rf .`?')
    expect(me.sent).toEqual([])
    me.type('1')
    await me.asks('And this?')
    await me.sees('? And this?')
    expect(me.sent).toEqual([{ questionId: second, answer: 'yes' }])
  })

  it('is no message either when the question it would answer is over; what is no answer to it is one', async () => {
    const me = await atTerminal()
    const question = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    await me.answersElsewhere(question)
    await me.saysElsewhere('I did')
    await me.sees('I did')
    me.type('y')
    await me.sees('was not used')
    const other = await me.asks('Run `ls -l`?')
    await me.sees('? Run `ls -l`?')
    await me.answersElsewhere(other)
    await me.saysElsewhere('I did again')
    await me.sees('I did again')
    me.type('say hello')
    await me.sees('It comes next')
    expect(me.sent).toEqual([{ content: 'say hello', when: 'queue' }])
  })

  it('and that was begun as a message does not answer what came up meanwhile', async () => {
    const me = await atTerminal('idle')
    await me.sees('> ')
    await me.saysElsewhere('what is your name')
    const question = await me.asks('What is yours?', {})
    await me.sees('? What is yours?')
    me.type('delete the old branch')
    await me.sees('was not used')
    expect(me.sent).toEqual([])
    me.type('Ann')
    await me.asks('Really?')
    await me.sees('? Really?')
    expect(me.sent).toEqual([{ questionId: question, answer: 'Ann' }])
  })

  it('and that was not begun when a question came up answers it, for whichever user the agent asks', async () => {
    const me = await atTerminal('idle', async () => false)
    await me.sees('> ')
    await me.saysElsewhere('list the files')
    const question = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    me.type('1')
    await me.asks('And this?')
    await me.sees('? And this?')
    expect(me.sent).toEqual([{ questionId: question, answer: 'yes' }])
  })

  it('and that was not begun when a question was over is a message', async () => {
    const me = await atTerminal('idle', async () => false)
    await me.sees('> ')
    const question = await me.asks('What is your name?', {})
    await me.sees('? What is your name?\n> ')
    await me.answersElsewhere(question)
    await me.sees('> ')
    me.type('delete the old branch')
    await me.asks('Really?')
    await me.sees('? Really?')
    expect(me.sent).toEqual([{ content: 'delete the old branch', when: 'queue' }])
  })

  it('and is empty takes the default of a question, and nothing where there is none', async () => {
    const me = await atTerminal()
    const first = await me.asks('What is your name?', {})
    await me.sees('? What is your name?\n> ')
    me.type('')
    await me.sees('> ')
    me.type('Ann')
    const second = await me.asks('Which colour?', { options: ['red', 'green'], default: 'green' })
    await me.sees('Default: green (Enter takes it)')
    me.type('')
    await me.sees('  green\n')
    expect(me.sent).toEqual([
      { questionId: first, answer: 'Ann' },
      { questionId: second, answer: 'green' },
    ])
  })

  it('is told of when another user was faster', async () => {
    const me = await atTerminal()
    const question = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    await me.answersElsewhere(question)
    await me.sees('Answered: Allow, by the user.')
  })

  it('is for the one question that is shown: the next is shown when that is over', async () => {
    const me = await atTerminal()
    const first = await me.asks('One?')
    const second = await me.asks('Two?')
    await me.sees('? One?')
    me.type('1')
    await me.sees('? Two?')
    me.type('2')
    await me.saysElsewhere('I saw it')
    await me.sees('I saw it')
    expect(me.sent).toEqual([
      { questionId: first, answer: 'yes' },
      { questionId: second, answer: 'no' },
    ])
  })
})

it('what was said of a run before its first message is shown: of its sandbox people are warned there', async () => {
  const me = await talkUnderTest(hubProcess, 'warned, then at work')
  expect(await me.sees('> begin')).toContain('Beware.')
})

it('W49 a user who talks at a terminal is said to look at the run, until they leave', async () => {
  const me = await talkUnderTest(hubProcess, 'idle')
  await me.sees('Type a message')
  await vi.waitFor(() => expect(me.looked).toContain(true), 60_000)
  expect(me.looked).not.toContain(false)
  me.type('/detach')
  await me.talk
  expect(me.looked.at(-1)).toBe(false)
})
