import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { describe, expect, it } from 'vitest'
import { noOffers } from '../agent-controls/agent-offers.ts'
import { openQuestion } from '../questions/open-question-under-test.ts'
import { typedMeaning } from './typed-meaning.ts'

const asked = (questionId: string, more: object = {}) => openQuestion({ questionId, ...more })
const first = asked('qst_11111111')
const second = asked('qst_22222222')

const meaning = (
  line: string,
  { question = null as OpenQuestion | null, open = [] as OpenQuestion[], isSure = false } = {},
) => typedMeaning(line, { question, isSure, open, offers: noOffers })

describe('a line that was typed', () => {
  it('is a message, or a command of ours, or nothing', () => {
    expect(meaning(' fix it ')).toEqual({ is: 'message', content: 'fix it' })
    expect(meaning('/usr/bin/ls is missing')).toMatchObject({ is: 'message' })
    expect(meaning('/cancel')).toEqual({ is: 'cancel' })
    expect(meaning('/mode careful')).toEqual({ is: 'mode', name: 'careful' })
    expect(meaning('/model  opus 4')).toEqual({ is: 'model', said: 'opus 4' })
    expect(meaning('/set speed instant')).toEqual({ is: 'set', said: 'speed instant' })
    expect(meaning('/more')).toEqual({ is: 'more' })
    expect(meaning('/steer not\nthat')).toEqual({ is: 'steer', content: 'not\nthat' })
    expect(meaning('/clsoe')).toMatchObject({ is: 'mistyped' })
    expect(meaning('  ')).toEqual({ is: 'nothing' })
  })

  it('answers the question that its typist was asked, while that is open', () => {
    expect(meaning('Ann', { question: first, open: [first] })).toEqual({
      is: 'answer',
      question: first,
      answer: 'Ann',
      isDefault: false,
    })
    expect(meaning('/help', { question: first, open: [first] })).toEqual({ is: 'help' })
    const only = asked('qst_33333333', { kind: 'permission', options: ['a'] })
    expect(meaning('perhaps', { question: only, open: [only] })).toMatchObject({ is: 'no answer' })
  })

  it('is used for nothing if it may have been meant for another question', () => {
    expect(meaning('Ann', { question: first, open: [second] })).toMatchObject({ is: 'not used' })
    expect(meaning('Ann', { question: first })).toMatchObject({ is: 'not used' })
    expect(meaning('Ann', { open: [second] })).toMatchObject({ is: 'not used' })
  })

  it('is what it was meant for where that is known', () => {
    expect(meaning('go on', { open: [second], isSure: true })).toEqual({ is: 'message', content: 'go on' })
    expect(meaning('Ann', { question: first, isSure: true })).toMatchObject({ is: 'not used' })
  })

  it('takes the default with nothing but Enter, where there is one', () => {
    const green = asked('qst_44444444', { default: 'green' })
    expect(meaning('', { question: green, open: [green] })).toMatchObject({
      answer: 'green',
      isDefault: true,
    })
    expect(meaning('', { question: first, open: [first] })).toEqual({ is: 'nothing' })
    expect(meaning('', { question: green })).toEqual({ is: 'nothing' })
  })
})
