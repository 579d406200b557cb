// Under a beat: numbered notes that open the proof of a sentence, and the choices for what comes next.
import { useEffect, useId, useRef, useState } from "react"

const FIRST_FACTS = 6
const FIRST_SUBJECTS = 4

// Only the newest card of a page can be pressed; the server refuses every older one anyway.
function useNewest(issued) {
  const room = (window.cuestory = window.cuestory || { newest: 0 })
  const [newest, setNewest] = useState(issued >= room.newest)
  useEffect(() => {
    const look = () => setNewest(issued >= room.newest)
    window.addEventListener("cuestory:newest", look)
    if (issued > room.newest) {
      room.newest = issued
      window.dispatchEvent(new Event("cuestory:newest"))
    }
    return () => window.removeEventListener("cuestory:newest", look)
  }, [issued])
  return newest
}

function Shortened({ items, first, noun, render, className }) {
  const [all, setAll] = useState(items.length <= first + 1)
  const shown = all ? items : items.slice(0, first)
  return (
    <>
      <ul className={className}>{shown.map(render)}</ul>
      {all ? null : (
        <button type="button" className="cue-quiet" onClick={() => setAll(true)}>
          Show all {items.length} {noun}
        </button>
      )}
    </>
  )
}

// "2004-08-27", "2004-08" and "2004", as people write them.
function spokenDate(date) {
  const [year, month, day] = (date || "").split("-").map(Number)
  if (!year || !month) return date || ""
  const form = { day: day ? "numeric" : undefined, month: "long", year: "numeric" }
  return new Date(year, month - 1, day || 1).toLocaleDateString("en-GB", form)
}

function Source({ source }) {
  const credit = [source.publisher, spokenDate(source.published), source.accessed && "read on " + spokenDate(source.accessed)].filter(Boolean).join(", ")
  return (
    <li>
      <a href={source.url} target="_blank" rel="noopener noreferrer">{source.title}</a>
      {credit ? <span className="cue-muted"> {credit}</span> : null}
    </li>
  )
}

function Technical({ note }) {
  return (
    <details className="cue-technical">
      <summary>Technical details</summary>
      <p className="cue-label">{note.statements.length === 1 ? "The triple" : `The ${note.statements.length} triples`}, as N-Triples</p>
      <pre className="cue-code" tabIndex={0} aria-label="Triples"><code>{note.statements.map((s) => s[3]).join("\n")}</code></pre>
      {note.queries.map((query, n) => (
        <div key={n}>
          <p className="cue-label">The query that found them</p>
          <p className="cue-asked">{query.question} <span className="cue-muted">{query.told}</span></p>
          <pre className="cue-code" tabIndex={0} aria-label="Query"><code>{query.sparql}</code></pre>
        </div>
      ))}
    </details>
  )
}

// Triples with the same subject are drawn as lines from one dot.
function subjects(statements) {
  const found = new Map()
  for (const [subject, predicate, object, line] of statements) {
    const key = line.split(" ", 1)[0]
    if (!found.has(key)) found.set(key, [subject, []])
    found.get(key)[1].push([predicate, object])
  }
  return [...found.values()]
}

// Drawn by the server from the same statements; it has its own words for whoever does not see it.
function Drawing({ svg }) {
  return <div className="cue-drawing" dangerouslySetInnerHTML={{ __html: svg }} />
}

function Proof({ note, id }) {
  return (
    <div className="cue-proof" id={id} role="region" aria-label={`Proof ${note.number}`}>
      <p className="cue-quote"><span className="cue-number" aria-hidden="true">{note.number}</span>{note.sentences.join(" ")}</p>
      {note.drawing ? <p className="cue-label">How do we know?</p> : null}
      {note.drawing ? <Drawing svg={note.drawing} /> : null}
      <p className="cue-label">{note.noted ? "What we noted from the page" : "What our records say"}</p>
      <Shortened className="cue-facts" items={note.facts} first={FIRST_FACTS} noun="facts" render={(fact, n) => <li key={n}>{fact}</li>} />
      {note.sources.length ? <p className="cue-label">Where it was read</p> : null}
      {note.sources.length ? (
        <Shortened className="cue-sources" items={note.sources} first={FIRST_FACTS} noun="sources" render={(source, n) => <Source key={n} source={source} />} />
      ) : null}
      {note.noted ? null : (
        <>
          <p className="cue-label">How the graph holds it</p>
          <Shortened
            className="cue-path" items={subjects(note.statements)} first={FIRST_SUBJECTS} noun="entries"
            render={([subject, edges], n) => (
              <li key={n}>
                <span className="cue-node cue-subject">{subject}</span>
                <ul className="cue-edges">
                  {edges.map(([predicate, object], m) => (
                    <li key={m}><span className="cue-edge">{predicate}</span> <span className="cue-node">{object}</span></li>
                  ))}
                </ul>
              </li>
            )}
          />
          <Technical note={note} />
        </>
      )}
    </div>
  )
}

function Notes({ notes }) {
  const id = useId()
  const [open, setOpen] = useState(null)
  const shown = notes.find((note) => note.number === open)
  return (
    <div className="cue-notes">
      <div className="cue-chips" role="group" aria-label="Sources">
        {notes.map((note) => (
          <button
            key={note.number} type="button" className="cue-chip"
            aria-expanded={open === note.number} aria-controls={open === note.number ? id : undefined}
            aria-label={`Source ${note.number}: ${note.label}`}
            onClick={() => setOpen(open === note.number ? null : note.number)}
          >
            <span className="cue-number" aria-hidden="true">{note.number}</span>
            <span className="cue-chip-label">{note.label}</span>
          </button>
        ))}
      </div>
      {shown ? <Proof key={shown.number} note={shown} id={id} /> : null}
    </div>
  )
}

// A button with its kind of way on above the question.
function Pill({ choice, look, busy, choose }) {
  return (
    <button type="button" className={`cue-pill ${look}`} disabled={busy} onClick={() => choose(choice)}>
      {choice.tag ? <span className="cue-tag">{choice.tag}</span> : null}
      <span className="cue-ask">{choice.label}</span>
    </button>
  )
}

// A menu that opens in the page: real buttons, so that a keyboard and a screen reader need nothing special.
function Fold({ name, choices, busy, choose, open, toggle }) {
  const id = useId()
  const shown = useRef(null)
  useEffect(() => {
    if (open) shown.current?.scrollIntoView({ block: "nearest" })
  }, [open])
  if (!choices.length) return null
  return (
    <>
      <button
        type="button" className="cue-pill cue-quiet cue-opener" disabled={busy}
        aria-expanded={open} aria-controls={open ? id : undefined} onClick={toggle}
      >
        {name}
      </button>
      {open ? (
        <div className="cue-fold" id={id} ref={shown} role="group" aria-label={name}>
          {choices.map((choice) => <Pill key={choice.id} choice={choice} look="cue-outlined" busy={busy} choose={choose} />)}
        </div>
      ) : null}
    </>
  )
}

// The browser's own voice, where it has one; nothing is sent anywhere.
function ReadAloud({ spoken }) {
  const voice = typeof window !== "undefined" && window.speechSynthesis
  const [reading, setReading] = useState(false)
  useEffect(() => () => { if (voice) voice.cancel() }, [])
  if (!voice || typeof SpeechSynthesisUtterance === "undefined") return null
  const toggle = () => {
    voice.cancel()
    if (reading) return setReading(false)
    const words = new SpeechSynthesisUtterance(spoken.text)
    words.lang = spoken.lang
    words.onend = words.onerror = () => setReading(false)
    setReading(true)
    voice.speak(words)
  }
  return (
    <button type="button" className="cue-pill cue-quiet cue-aloud" aria-pressed={reading} onClick={toggle}>
      {reading ? "Stop reading" : "Read aloud"}
    </button>
  )
}

// A picture or a film of it is a link with its credit: this page shows nothing that lies on other people's servers.
function Media({ media }) {
  return (
    <ul className="cue-media">
      {media.map((one) => (
        <li key={one.page}>
          <span className="cue-muted">{one.kind === "film" ? "Film" : "Picture"}: </span>
          <a href={one.page} target="_blank" rel="noopener noreferrer">{one.name}</a>
          <span className="cue-muted"> on {one.host}{one.credit ? `. ${one.credit}` : ""}</span>
        </li>
      ))}
    </ul>
  )
}

// What the visitor asked to see: what was heard, or the day on both clocks. Each drawing has its list or table.
function Look({ look, offer, newest }) {
  const [busy, setBusy] = useState(false)
  const back = async (id) => {
    setBusy(true)
    try {
      await callAction({ name: "choose", payload: { interrupt: offer.interrupt, choice: id } })
    } catch (error) {
      setBusy(false)
    }
  }
  if (look.kind === "day") {
    return (
      <div className="cue-look">
        <Drawing svg={look.svg} />
        <details className="cue-technical">
          <summary>The same as a table</summary>
          <table className="cue-table">
            <caption className="cue-hidden">{look.title}</caption>
            <thead><tr><th scope="col">Who</th><th scope="col">Where</th>{look.places.map((one) => <th key={one} scope="col">On the clock at {one}</th>)}</tr></thead>
            <tbody>
              {look.rows.map((row, n) => (
                <tr key={n} aria-current={row.here || undefined}>
                  <th scope="row">{row.who}{row.here ? " (you are here)" : ""}</th>
                  <td>{row.where}</td>
                  {look.places.map((one, m) => <td key={one}>{row.clocks[m] || "not known"}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
    )
  }
  return (
    <div className="cue-look">
      <ol className="cue-heard">
        {look.parts.map((part, n) => (
          <li key={n}>
            <details>
              <summary>{part.heading}</summary>
              <p>{part.text}</p>
              {part.back && newest ? (
                <button type="button" className="cue-pill cue-quiet" disabled={busy} onClick={() => back(part.back)}>Go back there</button>
              ) : null}
            </details>
          </li>
        ))}
      </ol>
      <p className="cue-label">{look.caption}</p>
      <Drawing svg={look.svg} />
      <details className="cue-technical">
        <summary>Still to meet</summary>
        <p>{look.left.join(" · ")}</p>
      </details>
    </div>
  )
}

function Offer({ offer, looks, newest, progress }) {
  const [picked, setPicked] = useState(null)
  const [open, setOpen] = useState("")
  const choose = async (choice) => {
    if (picked) return
    setPicked(choice)
    try {
      await callAction({ name: "choose", payload: { interrupt: offer.interrupt, choice: choice.id } })
    } catch (error) {
      setPicked(null) // the page has said why
    }
  }
  if (!newest) return picked ? <p className="cue-chosen">You chose: {picked.label}</p> : null
  const busy = picked !== null
  const pill = (choice, look) => <Pill key={choice.id} choice={choice} look={look} busy={busy} choose={choose} />
  const see = async (choice) => {
    if (picked) return
    setPicked(choice)
    try {
      await callAction({ name: "look", payload: { what: choice.id } })
    } catch (error) {
      setPicked(null) // the page has said why
    }
  }
  const fold = (name, choices, press = choose) => (
    <Fold
      key={name} name={name} choices={choices} busy={busy} choose={press}
      open={open === name} toggle={() => setOpen(open === name ? "" : name)}
    />
  )
  return (
    <section className="cue-next" aria-label="What comes next" aria-busy={busy}>
      {progress ? <p className="cue-progress">{progress}</p> : null}
      {offer.asked.length ? (
        <div className="cue-choices cue-asked-for" role="group" aria-label="Near what you asked">
          {offer.asked.map((choice) => pill(choice, "cue-outlined"))}
        </div>
      ) : null}
      {offer.asked.length && offer.shown.length ? <p className="cue-or">Or from here</p> : null}
      <div className="cue-choices">
        {offer.shown.map((choice, n) => pill(choice, n === 0 && choice.planned ? "cue-filled" : "cue-outlined"))}
      </div>
      <div className="cue-more">
        {fold("More questions", offer.menu)}
        {fold("Tell it another way", offer.again)}
        {fold("Go back", offer.back)}
        {fold("Tell it from", offer.from)}
        {fold("Look around", looks, see)}
        {offer.surprise ? pill(offer.surprise, "cue-quiet") : null}
        {pill(offer.end, "cue-quiet")}
      </div>
    </section>
  )
}

// The newest beat comes into view from its first line; one that fits is shown with its choices.
function showWhole(card) {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches
  card.closest("[data-step-type]")?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
}

export default function BeatCard() {
  const card = useRef(null)
  const newest = useNewest(props.issued)
  useEffect(() => {
    // The pressed button is gone: whoever uses a keyboard or a screen reader goes on here.
    if (!newest || !card.current) return
    if (document.activeElement === document.body) card.current.focus({ preventScroll: true })
    showWhole(card.current)
    const here = card.current.querySelector(".cue-look text.cue-here")
    if (here) setTimeout(() => here.scrollIntoView({ block: "center" }), 400) // the page scrolls by itself before that
  }, [])
  return (
    <div className="cue-card" ref={card} tabIndex={-1}>
      {props.look ? <Look look={props.look} offer={props.offer} newest={newest} /> : null}
      {props.notes.length ? <Notes notes={props.notes} /> : null}
      {props.media.length ? <Media media={props.media} /> : null}
      {props.spoken ? <ReadAloud spoken={props.spoken} /> : null}
      {props.reason ? (
        <details className="cue-technical"><summary>Technical details</summary><p>{props.reason}</p></details>
      ) : null}
      {props.offer ? <Offer offer={props.offer} looks={props.looks} newest={newest} progress={props.progress} /> : null}
    </div>
  )
}
