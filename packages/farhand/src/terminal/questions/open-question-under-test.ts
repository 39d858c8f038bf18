import { OpenQuestion } from '@farhand/protocol/runs/open-question'

/** A question of an agent that is not answered; fields that are not given were left out. */
export const openQuestion = (said: object = {}): OpenQuestion =>
  OpenQuestion.parse({
    questionId: 'qst_12345678',
    question: '?',
    kind: 'question',
    options: null,
    timeout: null,
    default: null,
    toolCallId: null,
    replaces: null,
    form: null,
    url: null,
    isPlan: false,
    eventId: 1,
    askedAt: '2030-01-01T00:00:00.000Z',
    generation: 1,
    given: null,
    ...said,
  })
