/** Where the JavaScript of a TypeScript file of the project is kept. */
export declare function outputOf(filename: string): string;

/** The JavaScript of a TypeScript file. */
export declare function javaScriptOf(filename: string): Promise<string>;
