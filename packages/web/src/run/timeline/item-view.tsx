import type { Item, MessageItem } from '@farhand/story/items/story'
import { memo } from 'react'
import type { UnsentAction } from '../../outbox/actions.ts'
import type { OpenSections } from '../../output/open-sections.ts'
import { QuestionCard } from '../../questions/question-card.tsx'
import { FailureView } from '../items/failure-view.tsx'
import { FilesView } from '../items/files-view.tsx'
import { MarkView } from '../items/mark-view.tsx'
import { MessageView } from '../items/message-view.tsx'
import { NoticeView } from '../items/notice-view.tsx'
import { PlanView } from '../items/plan-view.tsx'
import { RewoundItems } from '../items/rewound-items.tsx'
import { ShellView } from '../items/shell-view.tsx'
import { StartView } from '../items/start-view.tsx'
import { ThoughtView } from '../items/thought-view.tsx'
import { ToolView } from '../items/tool-view.tsx'
import { TurnEndView } from '../items/turn-end-view.tsx'
import { WordsView } from '../items/words-view.tsx'
import type { ShownItem } from '../view-model/shown-items.ts'

export type ItemActions = {
  onAnswer: (questionId: string, answer: unknown) => void
  onResend: (key: string) => void
  onStopShell: (call: string) => void
  /** Sends the message of a turn again, unchanged. */
  onRetry: (messageId: MessageItem['id']) => void
  /** Puts the message into the field, to be changed first. */
  onChange: (messageId: MessageItem['id']) => void
  /** Lets a failed run try again, with its waiting message. */
  onRetryRun: () => void
  /** Puts the waiting message of a failed run into the field; null if there is none. */
  onChangeRun: (() => void) | null
  /** Fetches a long text of which the log has the beginning, or an attachment. */
  fetchBlob: (hash: string) => Promise<Uint8Array>
}
type Props = {
  item: ShownItem
  /** The address that shows this item. */
  link: string
  openSections: OpenSections
  actions: ItemActions
  /** The answer to its question that has not reached the hub yet. */
  unsent: UnsentAction | null
  hasKeys: boolean
  /** Whether it is a failed turn or run that nothing came after. */
  canRetry?: boolean
}

/** One item of the timeline. It renders again only for a new item object. */
export const ItemView = memo(function ItemView(props: Props) {
  const { item, link, openSections, actions, unsent, hasKeys, canRetry = false } = props
  switch (item.kind) {
    case 'message':
      return <MessageView item={item} fetchBlob={actions.fetchBlob} />
    case 'words':
      return <WordsView item={item} link={link} openSections={openSections} fetchBlob={actions.fetchBlob} />
    case 'thought':
      return <ThoughtView item={item} openSections={openSections} fetchBlob={actions.fetchBlob} />
    case 'tool': {
      const { onAnswer, onResend, fetchBlob } = actions
      return <ToolView {...{ item, openSections, onAnswer, onResend, fetchBlob, unsent, hasKeys }} />
    }
    case 'plan':
      return <PlanView item={item} />
    case 'question':
      return (
        <QuestionCard
          question={item}
          openSections={openSections}
          fetchBlob={actions.fetchBlob}
          onAnswer={(answer) => actions.onAnswer(item.asked.questionId, answer)}
          unsent={unsent}
          onResend={actions.onResend}
          hasKeys={hasKeys}
        />
      )
    case 'shell':
      return (
        <ShellView
          item={item}
          openSections={openSections}
          onStop={actions.onStopShell}
          fetchBlob={actions.fetchBlob}
        />
      )
    case 'files':
      return <FilesView item={item} openSections={openSections} />
    case 'turn-end':
      return <TurnEndView item={item} {...(canRetry && { actions })} />
    case 'mark':
      return (
        <>
          <MarkView item={item} />
          {item.mark.is === 'rewind' && (
            <RewoundItems
              id={item.id}
              before={item.mark.before}
              items={item.mark.taken}
              openSections={openSections}
            >
              {(one: Item) => (
                <ItemView {...{ item: one, link, openSections, actions }} unsent={null} hasKeys={false} />
              )}
            </RewoundItems>
          )}
        </>
      )
    case 'start':
      return <StartView item={item} openSections={openSections} />
    case 'failure':
      return (
        <FailureView
          item={item}
          openSections={openSections}
          actions={canRetry ? { onRetry: actions.onRetryRun, onChange: actions.onChangeRun } : null}
        >
          {(one: Item) => (
            <ItemView {...{ item: one, link, openSections, actions }} unsent={null} hasKeys={false} />
          )}
        </FailureView>
      )
    case 'notice':
      return <NoticeView item={item} openSections={openSections} fetchBlob={actions.fetchBlob} />
  }
})
