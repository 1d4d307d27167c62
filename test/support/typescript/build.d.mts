/** The build from which tests start processes; only what has changed is made again. */
export declare function build(): Promise<void>;
