import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { AgentSide, MessageItem, QuestionItem } from '@farhand/story/items/story'
import { useMemo, useState } from 'react'
import { Composer } from '../src/composer/composer.tsx'
import type { RunActions, UnsentAction } from '../src/outbox/actions.ts'
import { QuestionCard } from '../src/questions/question-card.tsx'

const at = new Date().toISOString()
const agent: AgentSide = {
  name: 'Claude Code',
  commands: [
    { name: 'review', description: 'Look at what changed', hint: 'what to look at' },
    { name: 'compact', description: 'Make the conversation shorter', hint: null },
    { name: 'init', description: 'Write down what is to be known of this repository', hint: null },
  ],
  modes: [
    { id: 'ask', name: 'Ask', description: 'Asks before each edit' },
    { id: 'code', name: 'Code', description: 'Edits by itself' },
    { id: 'plan', name: 'Plan', description: 'Only looks, and plans' },
  ],
  mode: 'code',
  options: [
    {
      id: 'model',
      name: 'Model',
      value: 'large',
      choices: ['small', 'large'].map((id) => ({ id, name: id, description: null })),
    },
  ],
  hearsSteering: true,
}
const message = (id: number, text: string): MessageItem => ({
  kind: 'message',
  id,
  at,
  by: { kind: 'web', id: 'w' },
  text,
  attachments: [],
  state: 'waiting',
  isSteering: false,
})
const paths = [
  'package.json',
  'README.md',
  'src/main.ts',
  'src/run/run-view.ts',
  'src/run/timeline.tsx',
  'test/run.test.ts',
]
const files = () => Promise.resolve(paths)
const fetchBlob = () => Promise.reject(new Error('there is no hub on this page'))

/** Keeps the actions in memory, and refuses the second one. */
function useDeeds(): RunActions {
  const [unsent, setUnsent] = useState<readonly UnsentAction[]>([])
  return useMemo(
    () => ({
      unsent,
      act: (action) =>
        setUnsent((all) => {
          const isRefused = all.length === 1
          const why = isRefused ? 'The run is closed.' : null
          return [
            ...all,
            { key: String(all.length), at, action, state: isRefused ? 'refused' : 'waiting', why },
          ]
        }),
      drop: (key) => setUnsent((all) => all.filter((one) => one.key !== key)),
      again: (key) =>
        setUnsent((all) =>
          all.map((one) => (one.key === key ? { ...one, state: 'sending', why: null } : one)),
        ),
      attach: (file, { onProgress }) =>
        new Promise((_, reject) => {
          onProgress(0.4)
          if (!file.type.startsWith('image/'))
            setTimeout(() => reject(new Error('The hub cannot be reached.')), 300)
        }),
    }),
    [unsent],
  )
}

const queue = [
  message(11, 'And then run the tests of the other package too, please.'),
  message(12, 'Commit it.'),
]

export function ComposerAlone() {
  const actions = useDeeds()
  return (
    <div style={{ display: 'flex', flexDirection: 'column', justifyContent: 'flex-end', height: '100%' }}>
      <Composer
        run="run_madeup01"
        {...{ agent, queue, actions, files, fetchBlob }}
        turn={7}
        status="active"
        mode="interactive"
        policy={null}
      />
      <Composer
        run="run_madeup02"
        {...{ agent, actions, files, fetchBlob }}
        queue={[]}
        turn={null}
        status="closed"
        mode="background"
        policy="deny"
      />
    </div>
  )
}

let next = 1
const runTests = 'Run `npm test` in the workspace?'
const question = (more: Partial<OpenQuestion>, end: Partial<QuestionItem> = {}): QuestionItem => ({
  kind: 'question',
  id: next++,
  text: more.question ?? runTests,
  cuts: [],
  at,
  state: 'open',
  answer: null,
  answeredBy: null,
  why: null,
  ...end,
  asked: {
    questionId: 'qst_00000001' as OpenQuestion['questionId'],
    question: runTests,
    kind: 'permission',
    options: [
      { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'always', name: 'Always allow npm test', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
    timeout: null,
    default: null,
    toolCallId: null,
    replaces: null,
    form: null,
    url: null,
    isPlan: false,
    eventId: 1,
    askedAt: at,
    generation: 1,
    given: null,
    ...more,
  },
})

const all: QuestionItem[] = [
  question({ timeout: 300, default: 'no' }),
  question({
    isPlan: true,
    question: '## The plan\n\n1. Find where times are formatted\n2. Make one function of it',
  }),
  question({ kind: 'question', question: 'Which date format?', options: ['ISO', 'As the browser has it'] }),
  question({ kind: 'question', question: 'What is the new name?', options: null }),
  question({
    kind: 'question',
    question: 'A few things before I begin.',
    options: null,
    form: {
      properties: {
        name: { type: 'string', title: 'Name', description: 'As people will read it' },
        port: { type: 'integer', title: 'Port', minimum: 1, maximum: 65535, default: 8080 },
        where: { type: 'string', title: 'Where', enum: ['here', 'there'] },
        what: { type: 'array', title: 'What goes along', items: { enum: ['docs', 'tests'] } },
        sure: { type: 'boolean', title: 'Overwrite what is there' },
      },
      required: ['name', 'port'],
    },
  }),
  question({
    kind: 'question',
    question: 'Sign in at the provider.',
    url: 'https://example.org/sign-in?code=1234',
    options: [
      { optionId: 'accept', name: 'I have opened it' },
      { optionId: 'decline', name: 'Decline' },
    ],
  }),
  question({}, { state: 'answered', answer: 'once', answeredBy: { kind: 'device', id: 'dev_1' } }),
  question({}, { state: 'expired', answer: 'no' }),
]

const openSections = new Map<string, boolean>()

export function Questions() {
  return (
    <div style={{ display: 'grid', gap: 12, maxWidth: 740, height: '100%', padding: 16, overflow: 'auto' }}>
      {all.map((one, nth) => (
        <QuestionCard
          key={one.id}
          question={one}
          openSections={openSections}
          fetchBlob={fetchBlob}
          hasKeys={nth === 0}
          onAnswer={(answer) => console.log(answer)}
        />
      ))}
    </div>
  )
}
