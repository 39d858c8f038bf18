import { useShortcuts } from '../navigation/shortcuts.ts'
import { Dialog } from '../ui/dialog.tsx'
import css from './shortcut-sheet.module.css'

const alwaysThere = [
  { keys: 'Enter', words: 'Send the message', group: 'Writing' },
  { keys: 'Shift+Enter', words: 'A new line', group: 'Writing' },
  { keys: '/', words: 'Commands of the agent, at the start of a message', group: 'Writing' },
  { keys: '@', words: 'Mention a file', group: 'Writing' },
  { keys: '!', words: 'Run a command in the workspace, at the start of a message', group: 'Writing' },
]

/** Lists the keyboard shortcuts of this page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const all = [...useShortcuts(), ...alwaysThere]
  const groups = [...new Set(all.map(({ group }) => group))]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {groups.map((group) => (
        <section key={group} className={css.group}>
          <h3>{group}</h3>
          <dl className={css.keys}>
            {all
              .filter((one) => one.group === group)
              .map(({ keys, words }) => (
                <div key={keys + words} className={css.row}>
                  <dt>
                    {keys.split(/[ +]/).map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{words}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
