import { Link } from '../navigation/link.tsx'
import { startCommand, startPlace } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import css from './empty-list.module.css'
import type { RunListQuery } from './run-list-source.ts'

type Props = { asked: RunListQuery; onForget: () => void }

/** Says why the list is empty, and what to do about it. */
export function EmptyList({ asked, onForget }: Props) {
  if (asked.find !== '')
    return (
      <div className={css.empty}>
        <p>
          No {asked.archived ? 'archived ' : ''}run has <b>{asked.find}</b> in its title, its project or its
          id.
        </p>
        <Button onClick={onForget}>Show all runs</Button>
      </div>
    )
  if (asked.archived)
    return (
      <div className={css.empty}>
        <p>Nothing is archived. Archived runs are not listed, and stay as they are.</p>
        <Button onClick={onForget}>Show all runs</Button>
      </div>
    )
  return (
    <div className={css.empty}>
      <h2>No runs yet</h2>
      <p>{startPlace}:</p>
      <pre className={css.command}>{startCommand} "mend the failing test"</pre>
      <p>
        Or <Link to={{ is: 'new' }}>start one here</Link>, from a repository or from nothing.
      </p>
    </div>
  )
}
