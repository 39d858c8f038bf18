import { plainLine } from '@farhand/protocol/text/plain-text'
import { joinedText, noCuts } from '@farhand/story/items/cut-text'
import type { CutText, ShellItem } from '@farhand/story/items/story'
import { memo, useContext, useEffect, useMemo, useState } from 'react'
import { MayActContext } from '../../outbox/may-act.ts'
import { type LongProps, LongText } from '../../output/long-text.tsx'
import { OutputText } from '../../output/output-text.tsx'
import { hubClock } from '../../time/hub-clock.ts'
import { TimeSince } from '../../time/time-since.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import css from './shell-view.module.css'

type Props = LongProps<ShellItem> & { onStop: (call: string) => void }

const nothing: CutText = { text: '', cuts: noCuts }

/** A shell command of the user, with its output. */
export const ShellView = memo(function ShellView({ item, openSections, onStop, fetchBlob }: Props) {
  const { id, output } = item
  const printed = useMemo(() => ({ id, ...output.reduce<CutText>(joinedText, nothing) }), [id, output])
  const isLong = useLong(item)
  const mayAct = useContext(MayActContext) === 'yes'
  return (
    <section className={css.shell} aria-label={`Command ${item.command}`}>
      <header className={css.head}>
        <Icon name="terminal" size={16} />
        <code dir="auto">! {plainLine(item.command)}</code>
        <span className={css.state}>
          {item.isOver ? (
            item.exitCode !== 0 && (
              <Badge tone="bad">{item.exitCode === null ? 'ended' : `exit ${item.exitCode}`}</Badge>
            )
          ) : (
            <>
              <TimeSince at={item.at} isElapsed />
              <Spinner size={12} />
              {mayAct && (
                <Button
                  isSmall
                  // With pointer capture, the click counts even if the card moves.
                  onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
                  onClick={() => onStop(item.call)}
                >
                  Stop
                </Button>
              )}
            </>
          )}
        </span>
      </header>
      <LongText item={printed} {...{ openSections, fetchBlob }}>
        {(text) => <OutputText text={text} label="output" isGrowing={isLong} />}
      </LongText>
      {item.isOver && printed.text === '' && <p className={css.none}>No output.</p>}
    </section>
  )
})

/** Most commands end sooner; a fixed height would only make the page jump. */
const longMs = 300

/**
 * Whether a command runs so long that the user may want to stop it: then the card keeps its height and the button
 * its place.
 */
function useLong({ at, isOver }: ShellItem): boolean {
  const [isLong, setLong] = useState(() => hubClock.now() - Date.parse(at) > longMs)
  useEffect(() => {
    if (isOver) return
    const waiting = setTimeout(() => setLong(true), longMs)
    return () => clearTimeout(waiting)
  }, [isOver])
  return isLong && !isOver
}
