import { Button } from '../ui/button.tsx'
import css from './files-page.module.css'

type Props = { wanted: string; isAll: boolean; onAll: () => void }

/** Says why no file is listed, and offers to list all files. */
export function NothingToList({ wanted, isAll, onAll }: Props) {
  return (
    <div className={css.nothing}>
      <p>{why(wanted, isAll)}</p>
      {!isAll && <Button onClick={onAll}>Show all files</Button>}
    </div>
  )
}

function why(wanted: string, isAll: boolean): string {
  if (wanted.trim() !== '') return isAll ? 'No file matches.' : 'No changed file matches.'
  return isAll ? 'There are no files yet.' : 'Nothing has changed since then.'
}
