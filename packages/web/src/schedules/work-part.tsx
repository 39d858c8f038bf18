import css from '../new-run/new-run-page.module.css'
import type { Offers } from '../new-run/new-run-source.ts'
import { byReadiness } from '../new-run/which-agent.ts'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'
import { Field } from '../ui/field.tsx'
import type { PartProps } from './timing-part.tsx'

type Props = PartProps & { offers: Offers | null; isNew: boolean }

/** Chooses what the runs of the schedule do, and where they begin. */
export function WorkPart({ form, troubles, onChange, offers, isNew }: Props) {
  const { ready, others } = offers ? byReadiness(offers.here) : { ready: [], others: [] }
  const isMissing = offers !== null && ![...ready, ...others].some(({ id }) => id === form.agent)
  return (
    <>
      <Field label="What is to be done" trouble={troubles.prompt}>
        {(given) => (
          <textarea
            {...given}
            className={css.prompt}
            dir="auto"
            rows={4}
            value={form.prompt}
            placeholder="Update the dependencies, and see that the tests pass."
            onChange={(event) => onChange({ prompt: event.target.value })}
          />
        )}
      </Field>
      <div className={css.pair}>
        <Field label="Agent" trouble={troubles.agent}>
          {(given) => (
            <select
              {...given}
              value={form.agent}
              onChange={(event) => onChange({ agent: event.target.value })}
            >
              {(form.agent === '' || isMissing) && (
                <option value={form.agent}>{form.agent || 'Choose an agent'}</option>
              )}
              {[...ready, ...others].map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {isNew && (
          <Field label="Project" trouble={troubles.project}>
            {(given) => (
              <select
                {...given}
                value={form.project}
                onChange={(event) => onChange({ project: event.target.value })}
              >
                {form.project === '' && <option value="">Choose a project</option>}
                {offers?.projects.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {showHiddenCharacters(name)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      <div className={css.pair}>
        <Field
          label="Address of a repository"
          trouble={troubles.cloneUrl}
          hint="Each run begins with it; without one, in an empty folder."
        >
          {(given) => (
            <input
              {...given}
              type="url"
              inputMode="url"
              placeholder="https://example.org/me/project.git"
              value={form.cloneUrl}
              onChange={(event) => onChange({ cloneUrl: event.target.value })}
            />
          )}
        </Field>
        <Field label="Branch, tag or commit" trouble={troubles.cloneRef}>
          {(given) => (
            <input
              {...given}
              placeholder="default branch"
              autoCapitalize="off"
              spellCheck={false}
              value={form.cloneRef}
              onChange={(event) => onChange({ cloneRef: event.target.value })}
            />
          )}
        </Field>
      </div>
    </>
  )
}
