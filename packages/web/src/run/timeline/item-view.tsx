import { memo } from 'react'
import type { Unsent } from '../../outbox/actions.ts'
import type { Folds } from '../../output/open-sections.ts'
import { QuestionCard } from '../../questions/question-card.tsx'
import type { Item, MessageItem } from '../../story/story.ts'
import { FailureView } from '../items/failure-view.tsx'
import { FilesView } from '../items/files-view.tsx'
import { MarkView } from '../items/mark-view.tsx'
import { MessageView } from '../items/message-view.tsx'
import { NoticeView } from '../items/notice-view.tsx'
import { PlanView } from '../items/plan-view.tsx'
import { ShellView } from '../items/shell-view.tsx'
import { StartView } from '../items/start-view.tsx'
import { TakenBack } from '../items/taken-back.tsx'
import { ThoughtView } from '../items/thought-view.tsx'
import { ToolView } from '../items/tool-view.tsx'
import { TurnEndView } from '../items/turn-end-view.tsx'
import { WordsView } from '../items/words-view.tsx'
import type { ShownItem } from '../view-model/shown-items.ts'

export type ItemDeeds = {
  onAnswer: (questionId: string, answer: unknown) => void
  onAgain: (key: string) => void
  onStopShell: (call: string) => void
  /** Sends the message of a turn once more, as it was. */
  onRetry: (messageId: MessageItem['id']) => void
  /** Puts it into the field, to be changed first. */
  onChange: (messageId: MessageItem['id']) => void
  /** Lets a run that has failed try again; what waits in it is heard then. */
  onRetryRun: () => void
  /** Puts the message that waits in it into the field instead; null if there is none. */
  onChangeRun: (() => void) | null
  /** The bytes of a long text of which the log has the beginning, or of a file that went along with a message. */
  onWhole: (hash: string) => Promise<Uint8Array>
}
type Props = {
  item: ShownItem
  /** The address that shows this item. */
  link: string
  folds: Folds
  deeds: ItemDeeds
  /** The answer to its question that the hub does not have yet. */
  unsent: Unsent | null
  hasKeys: boolean
  /** Whether it is the end of a turn, or of a run, that failed, and nothing came after it. */
  canRetry?: boolean
}

/** One item of the timeline. It is drawn again only when it became another object. */
export const ItemView = memo(function ItemView(props: Props) {
  const { item, link, folds, deeds, unsent, hasKeys, canRetry = false } = props
  switch (item.kind) {
    case 'message':
      return <MessageView item={item} onWhole={deeds.onWhole} />
    case 'words':
      return <WordsView item={item} link={link} folds={folds} onWhole={deeds.onWhole} />
    case 'thought':
      return <ThoughtView item={item} folds={folds} onWhole={deeds.onWhole} />
    case 'tool': {
      const { onAnswer, onAgain, onWhole } = deeds
      return <ToolView {...{ item, folds, onAnswer, onAgain, onWhole, unsent, hasKeys }} />
    }
    case 'plan':
      return <PlanView item={item} />
    case 'question':
      return (
        <QuestionCard
          question={item}
          folds={folds}
          onWhole={deeds.onWhole}
          onAnswer={(answer) => deeds.onAnswer(item.asked.questionId, answer)}
          unsent={unsent}
          onAgain={deeds.onAgain}
          hasKeys={hasKeys}
        />
      )
    case 'shell':
      return <ShellView item={item} folds={folds} onStop={deeds.onStopShell} onWhole={deeds.onWhole} />
    case 'files':
      return <FilesView item={item} folds={folds} />
    case 'turn-end':
      return <TurnEndView item={item} {...(canRetry && { deeds })} />
    case 'mark':
      return (
        <>
          <MarkView item={item} />
          {item.mark.is === 'rewind' && (
            <TakenBack id={item.id} before={item.mark.before} items={item.mark.taken} folds={folds}>
              {(one: Item) => (
                <ItemView {...{ item: one, link, folds, deeds }} unsent={null} hasKeys={false} />
              )}
            </TakenBack>
          )}
        </>
      )
    case 'start':
      return <StartView item={item} folds={folds} />
    case 'failure':
      return (
        <FailureView
          item={item}
          folds={folds}
          deeds={canRetry ? { onRetry: deeds.onRetryRun, onChange: deeds.onChangeRun } : null}
        >
          {(one: Item) => <ItemView {...{ item: one, link, folds, deeds }} unsent={null} hasKeys={false} />}
        </FailureView>
      )
    case 'notice':
      return <NoticeView item={item} folds={folds} onWhole={deeds.onWhole} />
  }
})
