import { BASE_STYLE } from '../html.ts';

/** The stylesheet of the first page. Its hash stands in the page's Content-Security-Policy. */
export const STYLE = `${BASE_STYLE}
main, footer { max-width: 62rem; margin: 0 auto; padding: 1.25rem; }
.hero { padding: 4rem 0 2.5rem; max-width: 44rem; }
.mark { width: 3.5rem; height: 3.5rem; display: block; }
h1 { font-size: clamp(2rem, 6vw, 3.25rem); line-height: 1.1; letter-spacing: -.02em; margin: 1.25rem 0 .75rem; text-wrap: balance; }
h2 { font-size: 1.35rem; letter-spacing: -.01em; margin: 3rem 0 .5rem; }
.facts h2 { font-size: 1rem; letter-spacing: 0; margin: 0 0 .25rem; }
p { margin: .25rem 0; }
.lead { font-size: 1.15rem; color: var(--quiet); max-width: 38rem; }
.lead span { white-space: nowrap; }
.quiet { color: var(--quiet); }
nav { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.75rem; }
nav a { border: 1px solid var(--line); border-radius: .6rem; padding: .6rem 1.1rem; background: var(--card); color: var(--text); font-weight: 600; }
nav a:hover { text-decoration: none; border-color: var(--brand); }
nav a.first { background: var(--brand); border-color: var(--brand); color: var(--brand-text); }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.facts { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; }
.facts > div { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; padding: 1.1rem 1.25rem; }
ol { list-style: none; counter-reset: step; padding: 0; margin: 1.25rem 0; display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1rem; }
ol > li { counter-increment: step; border-top: 2px solid var(--brand); padding-top: .6rem; font-size: .95rem; display: flex; gap: .5rem; }
ol > li::before { content: counter(step); font-weight: 700; color: var(--brand); }
pre { background: #0d1420; color: #d7e0ee; border: 1px solid var(--line); border-radius: .9rem; padding: 1.1rem 1.25rem; overflow-x: auto; margin: 1rem 0 .5rem; }
pre code { font-size: .84rem; line-height: 1.6; overflow-wrap: normal; }
footer { border-top: 1px solid var(--line); margin-top: 3.5rem; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; font-size: .95rem; }
footer a { text-decoration: underline; }
footer .quiet { margin-left: auto; }
@media (max-width: 46rem) {
  .hero { padding: 2rem 0 1.5rem; }
  .facts { grid-template-columns: minmax(0, 1fr); }
  ol { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  footer .quiet { margin-left: 0; width: 100%; }
}
`;
