/** Begins the page. */
import { render } from 'preact';

render(<h1>Mooring</h1>, document.getElementById('page') as HTMLElement);
