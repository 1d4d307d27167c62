/** The OpenAPI 3.1 description. */
export const OPENAPI_PATH = '/openapi.json';

/** The page that shows it, with everything it loads below. */
export const DOCS_PATH = '/docs';
